// The buffers that own their memory: options, sizes, and what each placement promises.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>

#include "pinhole/memory/any_buffer.hpp"
#include "pinhole/memory/mapped_buffer.hpp"
#include "pinhole/memory/pin_budget.hpp"
#include "pinhole/memory/staged_buffer.hpp"
#include "platform/linux/host_limits.hpp"
#include "platform/platform.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/faulty_backend.hpp"
#include "tests/support/kernels.hpp"

namespace pinhole {
namespace {

using namespace std::chrono_literals;
using test::expect_error;
using test::primitive;

constexpr std::size_t too_many = std::numeric_limits<std::size_t>::max() / 4 + 1;

class OwnedBuffers : public testing::Test {
 protected:
  ~OwnedBuffers() override { pin_budget::process().clear_limit(); }

  std::shared_ptr<test::faulty_backend> driver =
      std::make_shared<test::faulty_backend>(platform::make_cpu({}));
  device where = platform::make_device(driver, "cpu", "double");
  std::uint64_t pinned_before = pin_budget::process().in_use();
};

using StagedBuffer = OwnedBuffers;
using MappedBuffer = OwnedBuffers;
using MakeBuffer = OwnedBuffers;

TEST_F(StagedBuffer, HasOneCopyOnEachSideThatOnlyHandOversConnect) {
  const stream work(where);
  staged_buffer<int> buffer(where, 100);
  EXPECT_NE(static_cast<void*>(buffer.host().data()), static_cast<void*>(buffer.device().data()));
  std::fill(buffer.host().begin(), buffer.host().end(), 1);
  buffer.to_device(work);
  test::add(work, buffer.device(), 10);
  buffer.to_host(work, 30, 5);
  work.wait(10s);
  EXPECT_EQ(std::count(buffer.host().begin(), buffer.host().end(), 11), 5);
  EXPECT_EQ(std::count(buffer.host().begin(), buffer.host().end(), 1), 95)
      << "the rest is on the device only";
  EXPECT_EQ(driver->calls(primitive::copy_async), 2U);
}

TEST_F(StagedBuffer, PinsItsHostHalfUnlessItIsToBePageable) {
  {
    const staged_buffer<int> pinned(where, 1000);
    EXPECT_EQ(pin_budget::process().in_use(), pinned_before + 4000);
    EXPECT_EQ(driver->live(), (test::live_resources{.device_blocks = 1, .host_blocks = 1}));
  }
  const staged_buffer<int> pageable(where, 1000, {.host = host_memory::pageable});
  EXPECT_EQ(pin_budget::process().in_use(), pinned_before);
  EXPECT_EQ(driver->live(), (test::live_resources{.device_blocks = 1}));
}

TEST_F(StagedBuffer, RefusesWhatCannotBeHad) {
  expect_error(fault::invalid_argument, {"staged buffer", "4 bytes"},
               [&] { (void)staged_buffer<int>(where, too_many); });
  const std::size_t machine = platform::total_memory();
  expect_error(fault::out_of_memory, {"staged", "on cpu", format_bytes(machine + 1)}, [&] {
    (void)staged_buffer<char>(where, machine + 1, {.host = host_memory::pageable});
  });
  pin_budget::process().set_limit(pinned_before + 1000);
  expect_error(fault::over_budget, {"staged", "1001 B", "set_limit"},
               [&] { (void)staged_buffer<char>(where, 1001); });
  EXPECT_EQ(driver->live(), test::live_resources{});
}

TEST_F(MappedBuffer, IsOneCopyForBothSides) {
  const stream work(where);
  mapped_buffer<int> buffer(where, 100);
  EXPECT_EQ(pin_budget::process().in_use(), pinned_before + 400);
  buffer.host()[7] = 1;
  buffer.to_device(work);
  EXPECT_EQ(driver->calls(primitive::copy_async), 0U);
  test::add(work, buffer.device(), 1);
  buffer.to_host(work);
  work.wait(10s);
  EXPECT_EQ(buffer.host()[7], 2);
}

TEST_F(MappedBuffer, MakesNoDriverCallAtAHandOverAndAllocatesNothingAfterTheFirst) {
  const stream work(where);
  mapped_buffer<int> buffer(where, 100);
  driver->heal();
  buffer.to_device(work);
  EXPECT_EQ(driver->calls(), 0U);
  buffer.to_host(work);
  EXPECT_EQ(driver->calls(primitive::create_event), 1U);
  for (int i = 0; i < 10; ++i) {
    buffer.to_device(work);
    buffer.to_host(work);
  }
  EXPECT_EQ(driver->calls(primitive::create_event), 1U) << "the event is used again";
  EXPECT_EQ(driver->calls(primitive::record_event), 11U);
}

TEST_F(MappedBuffer, IsZeroFilledOnTheCpuDevice) {
  for (int i = 0; i < 4; ++i) {
    mapped_buffer<int> fresh(where, 1000);
    EXPECT_EQ(std::count(fresh.host().begin(), fresh.host().end(), 0), 1000);
    std::fill(fresh.host().begin(), fresh.host().end(), -1);  // for the next to find
  }
}

TEST_F(MappedBuffer, RefusesWhatCannotBeHad) {
  expect_error(fault::invalid_argument, {"mapped buffer", "4 bytes"},
               [&] { (void)mapped_buffer<int>(where, too_many); });
  const std::size_t machine = platform::total_memory();
  expect_error(fault::over_budget, {"mapped", "on cpu", "10 % of", "set_limit"},
               [&] { (void)mapped_buffer<char>(where, machine + 1); });
  pin_budget::process().set_limit(std::numeric_limits<std::uint64_t>::max());
  expect_error(fault::out_of_memory, {"mapped", format_bytes(machine + 1), "ask for less"},
               [&] { (void)mapped_buffer<char>(where, machine + 1); });
  EXPECT_EQ(pin_budget::process().in_use(), pinned_before);
}

class without_mapping final : public test::faulty_backend {
 public:
  using test::faulty_backend::faulty_backend;
  platform::status describe(capabilities& into) override {
    into.map_host_memory = {false, "the device cannot map host memory", "use staged buffers"};
    return {};
  }
};

TEST_F(MappedBuffer, IsRefusedByADeviceThatCannotMapHostMemory) {
  const auto other =
      platform::make_device(std::make_shared<without_mapping>(platform::make_cpu({})), "old:0", "");
  expect_error(fault::not_supported,
               {"mapped memory on old:0", "cannot map host memory", "use staged buffers"},
               [&] { (void)mapped_buffer<int>(other, 1); });
  EXPECT_NO_THROW((void)staged_buffer<int>(other, 1));
}

TEST_F(MakeBuffer, GivesEachPlacementItsOwnKindOfMemory) {
  for (const auto how : all_placements()) {
    const auto buffer = make_buffer<int>(where, 10, how);
    EXPECT_EQ(buffer.placed(), how);
    EXPECT_EQ(buffer.size(), 10U);
  }
  EXPECT_EQ(where.collect(), 0U);
  EXPECT_EQ(driver->live(), test::live_resources{});
}

TEST_F(MakeBuffer, OwnsTheMemoryThatItRegisters) {
  {
    const auto buffer = make_buffer<int>(where, 10, placement::registered);
    EXPECT_EQ(driver->live().registrations, 1U);
    buffer.host()[9] = 9;
  }
  EXPECT_EQ(driver->live().registrations, 0U);
}

TEST_F(MakeBuffer, RefusesUnknownPlacementsAndSizesThatOverflow) {
  expect_error(fault::invalid_argument, {"placement"},
               [&] { (void)make_buffer<int>(where, 1, static_cast<placement>(99)); });
  for (const auto how : all_placements()) {
    expect_error(fault::invalid_argument, {"make a buffer", "4 bytes"},
                 [&] { (void)make_buffer<int>(where, too_many, how); });
  }
}

TEST_F(MakeBuffer, RefusesSizesNearTheEndOfTheAddressSpace) {
  pin_budget::process().set_limit(std::numeric_limits<std::uint64_t>::max());
  for (const auto how : all_placements()) {
    SCOPED_TRACE(to_string(how));
    expect_error(fault::out_of_memory, {}, [&] {
      (void)make_buffer<char>(where, std::numeric_limits<std::size_t>::max(), how);
    });
  }
  EXPECT_EQ(pin_budget::process().in_use(), pinned_before);
}

}  // namespace
}  // namespace pinhole
