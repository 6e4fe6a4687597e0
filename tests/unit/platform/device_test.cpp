// Finding devices, and what a device handle is.
#include "pinhole/platform/device.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "platform/platform.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/faulty_backend.hpp"

namespace pinhole {
namespace {

static_assert(std::is_copy_constructible_v<device> && std::is_copy_assignable_v<device>);

TEST(Device, FirstIsTheFirstOfAll) {
  const auto all = device::all();
  ASSERT_FALSE(all.empty());
  EXPECT_EQ(device::first(), all.front());
}

TEST(Device, AllHoldsGpusOrTheCpuDeviceAlone) {
  const auto all = device::all();
  const bool has_gpu = all.front().kind() == device_kind::cuda;
  EXPECT_EQ(device::why_no_gpu().empty(), has_gpu);
  for (const auto& one : all) {
    EXPECT_EQ(one.kind(), all.front().kind());
  }
  if (!has_gpu) {
    ASSERT_EQ(all.size(), 1U);
    EXPECT_EQ(all.front(), device::cpu());
  }
}

TEST(Device, CpuIsAlwaysThereAndAlwaysTheSame) {
  EXPECT_EQ(device::cpu(), device::cpu());
  EXPECT_EQ(device::cpu().kind(), device_kind::cpu);
  EXPECT_EQ(device::cpu().name(), "cpu");
  EXPECT_EQ(device::cpu().id(), "cpu");
}

TEST(Device, CopiesAndMovesAreTheSameDevice) {
  device first = device::cpu();
  const device copy = first;
  const device moved = std::move(first);
  EXPECT_EQ(copy, moved);
  EXPECT_EQ(first.id(), "cpu") << "a move must not leave a null handle";
  first.tuning().block_threads = 64;
  EXPECT_EQ(copy.tuning().block_threads, 64U);
  first.tuning().block_threads = tuning{}.block_threads;
}

TEST(Device, OverABackendOfItsOwnIsAnotherDevice) {
  const auto other = platform::make_device(platform::make_cpu({}), "cpu", "second");
  EXPECT_FALSE(other == device::cpu());
  EXPECT_EQ(other.name(), "second");
  EXPECT_EQ(other.retired(), 0U);
  EXPECT_EQ(other.collect(), 0U);
}

TEST(FindDevice, FindsEveryDeviceByItsId) {
  EXPECT_EQ(find_device("cpu"), device::cpu());
  for (const auto& one : device::all()) {
    EXPECT_EQ(find_device(one.id()), one);
    if (one.kind() == device_kind::cuda) {
      EXPECT_EQ(find_device(one.id().substr(std::string("cuda:").size())), one);
    }
  }
}

TEST(FindDevice, RefusesAnythingElseAndListsTheDevices) {
  for (const char* const id : {"", "gpu", "CPU", "cuda", "cuda:", "cuda:99", "99", "-1", "cpu:0",
                               "cuda:0 ", "18446744073709551616"}) {
    test::expect_error(fault::invalid_argument, {"'" + std::string(id) + "'", "cpu"},
                       [&] { (void)find_device(id); });
  }
  if (!device::why_no_gpu().empty()) {
    test::expect_error(fault::invalid_argument, {device::why_no_gpu()},
                       [] { (void)find_device("cuda:0"); });
  }
}

TEST(Capabilities, OfTheCpuDeviceAreReadOnceByAnyNumberOfThreads) {
  const auto double_ = std::make_shared<test::faulty_backend>(platform::make_cpu({}));
  const auto cpu = platform::make_device(double_, "cpu", "double");
  std::vector<std::thread> askers;
  for (int i = 0; i < 4; ++i) {
    askers.emplace_back([&] { EXPECT_EQ(cpu.capabilities().architecture, "host threads"); });
  }
  for (auto& asker : askers) {
    asker.join();
  }
  EXPECT_EQ(double_->calls(test::primitive::describe), 1U);
}

TEST(Capabilities, AreAskedForAgainAfterAFailure) {
  const auto double_ = std::make_shared<test::faulty_backend>(platform::make_cpu({}));
  const auto cpu = platform::make_device(double_, "cpu", "double");
  double_->fail_call(0, platform::outcome::failed);
  test::expect_error(fault::call_failed, {"capabilities of cpu", "describe"},
                     [&] { (void)cpu.capabilities(); });
  EXPECT_TRUE(cpu.capabilities().map_host_memory);
}

TEST(Capabilities, OfEveryDeviceGiveAReasonForEachNo) {
  auto devices = device::all();
  devices.push_back(device::cpu());
  for (const auto& one : devices) {
    for (const auto& [name, meaning, value] : list(one.capabilities())) {
      EXPECT_FALSE(name.empty());
      EXPECT_FALSE(meaning.empty());
      EXPECT_TRUE(value->yes || !value->reason.empty()) << one.id() << ": " << name;
    }
    EXPECT_GT(one.capabilities().multiprocessors, 0);
    EXPECT_GT(one.capabilities().memory_bytes, 0U);
    EXPECT_TRUE(one.capabilities().pcie_generation ||
                !one.capabilities().link_unknown_reason.empty());
  }
}

TEST(Capabilities, AreListedOnceEach) {
  const capabilities none;
  const auto listed = list(none);
  EXPECT_EQ(listed.size(), 9U);
  for (std::size_t i = 0; i < listed.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NE(listed[i].value, listed[j].value) << listed[i].name;
      EXPECT_NE(listed[i].name, listed[j].name);
    }
    EXPECT_GE(static_cast<const void*>(listed[i].value), static_cast<const void*>(&none));
    EXPECT_LT(static_cast<const void*>(listed[i].value), static_cast<const void*>(&none + 1));
  }
}

}  // namespace
}  // namespace pinhole
