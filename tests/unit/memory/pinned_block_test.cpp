// Large mapped buffers: pages of the library's own, pinned in place.
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "pinhole/memory/managed_buffer.hpp"
#include "pinhole/memory/mapped_buffer.hpp"
#include "pinhole/memory/pin_budget.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/faulty_backend.hpp"
#include "tests/support/os.hpp"

namespace pinhole {
namespace {

using test::expect_error;
using test::primitive;

constexpr std::size_t large = 20_MiB;

class LargePinnedMemory : public testing::Test {
 protected:
  LargePinnedMemory() { where.tuning().pin_pages_from = 1_MiB; }
  ~LargePinnedMemory() override {
    EXPECT_EQ(driver->live(), test::live_resources{});
    EXPECT_EQ(pin_budget::process().in_use(), pinned_before);
  }

  std::shared_ptr<test::faulty_backend> driver =
      std::make_shared<test::faulty_backend>(platform::make_cpu({}));
  device where = platform::make_device(driver, "cpu", "double");
  std::uint64_t pinned_before = pin_budget::process().in_use();
};

TEST_F(LargePinnedMemory, IsPagesThatAreRegistered) {
  const mapped_buffer<char> small(where, 1_MiB - 1);
  EXPECT_EQ(driver->live().host_blocks, 1U);
  const mapped_buffer<char> buffer(where, large);
  EXPECT_EQ(driver->live().registrations, 1U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.host().data()) % 2_MiB, 0U);
  EXPECT_EQ(buffer.host()[large - 1], 0);
}

TEST_F(LargePinnedMemory, ComesFromTheDriverWhenOnlyTheDriverHasItsKind) {
  const mapped_options options{.caching = host_caching::write_combined};
  const mapped_buffer<char> buffer(where, large, options);
  EXPECT_EQ(driver->live().host_blocks, 1U);
}

TEST_F(LargePinnedMemory, TellsHowFarItIs) {
  std::vector<double> heard;
  mapped_options options;
  options.progress = [&](double done) {
    heard.push_back(done);
    return true;
  };
  const mapped_buffer<char> buffer(where, large, options);
  ASSERT_FALSE(heard.empty());
  for (std::size_t i = 1; i < heard.size(); ++i) {
    EXPECT_GE(heard[i], heard[i - 1]);
  }
  EXPECT_EQ(heard.back(), 1);
}

TEST_F(LargePinnedMemory, IsGivenBackWhenCancelled) {
  for (const double at : {0.0, 1.0}) {  // at once, and at the very end
    mapped_options options;
    options.progress = [&](double done) { return done < at; };
    expect_error(fault::cancelled, {"20 MiB", "progress"},
                 [&] { (void)mapped_buffer<char>(where, large, options); });
  }
}

TEST_F(LargePinnedMemory, IsGivenBackWhenItCannotBeRegistered) {
  driver->fail_every(primitive::register_host, platform::outcome::out_of_memory);
  expect_error(fault::out_of_memory, {"20 MiB", "register_host"},
               [&] { (void)mapped_buffer<char>(where, large); });
  driver->heal();
}

TEST_F(LargePinnedMemory, IsRefusedWhereTheMachineOrTheCgroupHasLess) {
  const test::fake_system system;
  system.write("/proc/meminfo", "MemTotal:       10000 kB\n");
  pin_budget::process().set_limit(std::uint64_t{1} << 60U);
  expect_error(fault::out_of_memory, {"20 MiB", "the machine has 9.766 MiB"},
               [&] { (void)mapped_buffer<char>(where, large); });
  system.write("/proc/self/cgroup", "0::/job\n");
  system.write("/sys/fs/cgroup/job/memory.max", "4194304\n");
  expect_error(fault::out_of_memory, {"/job/memory.max allows 4 MiB"},
               [&] { (void)mapped_buffer<char>(where, large); });
  expect_error(fault::out_of_memory, {"/job/memory.max allows 4 MiB", "managed"},
               [&] { (void)managed_buffer<char>(where, large); });
  pin_budget::process().clear_limit();
}

TEST_F(LargePinnedMemory, IsKeptFromChildren) {
  const mapped_buffer<char> buffer(where, large);
  auto* const first = buffer.host().data();
  const auto child = test::in_forked_child([first] { *first = 1; });
  EXPECT_NE(child.exit_code, 0) << "the child reached memory that the device writes to";
}

}  // namespace
}  // namespace pinhole
