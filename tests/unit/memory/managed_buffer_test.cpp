// Managed memory: its two homes, what counts as pinned, and machines that cannot.
#include "pinhole/memory/managed_buffer.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>

#include "pinhole/memory/pin_budget.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/faulty_backend.hpp"

namespace pinhole {
namespace {

using test::expect_error;
using test::primitive;

class ManagedBuffer : public testing::Test {
 protected:
  std::shared_ptr<test::faulty_backend> driver =
      std::make_shared<test::faulty_backend>(platform::make_cpu({}));
  device where = platform::make_device(driver, "cpu", "double");
  std::uint64_t pinned_before = pin_budget::process().in_use();
  const managed_options migrating{.home = home::migrating};
};

TEST_F(ManagedBuffer, HasOneAddressForBothSides) {
  const managed_buffer<int> buffer(where, 1000);
  EXPECT_EQ(buffer.host().data(), buffer.device().data());
  EXPECT_EQ(buffer.placed(), placement::managed);
  EXPECT_EQ(driver->live().managed_blocks, 1U);
}

TEST_F(ManagedBuffer, AtHomeOnTheHostMovesNothingAtAHandOver) {
  managed_buffer<int> buffer(where, 1000);
  const stream work(where);
  driver->heal();
  buffer.to_device(work);
  EXPECT_EQ(driver->calls(), 0U);
  buffer.to_host(work);
  EXPECT_EQ(driver->calls(primitive::prefetch), 0U);
}

TEST_F(ManagedBuffer, ThatMigratesIsMovedAheadByTheHandOvers) {
  managed_buffer<int> buffer(where, 1000, migrating);
  const stream work(where);
  driver->heal();
  buffer.to_device(work);
  EXPECT_EQ(driver->calls(primitive::prefetch), 1U);
  buffer.to_host(work, 5, 10);
  EXPECT_EQ(driver->calls(primitive::prefetch), 2U);
  buffer.to_device(work, 3, 0);
  EXPECT_EQ(driver->calls(primitive::prefetch), 2U) << "nothing is there to move";
}

TEST_F(ManagedBuffer, CountsAgainstTheBudgetWhenItStaysInHostMemory) {
  {
    const managed_buffer<char> stays(where, 100'000);
    EXPECT_EQ(pin_budget::process().in_use(), pinned_before + 100'000);
    const managed_buffer<char> moves(where, 100'000, migrating);
    EXPECT_EQ(pin_budget::process().in_use(), pinned_before + 100'000);
  }
  EXPECT_EQ(pin_budget::process().in_use(), pinned_before);
}

TEST_F(ManagedBuffer, CountsAgainstThePartThatItWasGiven) {
  pin_budget part("tables", 1000);
  const managed_options options{.budget = &part};
  const managed_buffer<char> fits(where, 600, options);
  EXPECT_EQ(part.in_use(), 600U);
  expect_error(fault::over_budget, {"'tables'", "managed memory"},
               [&] { (void)managed_buffer<char>(where, 401, options); });
  EXPECT_EQ(driver->live().managed_blocks, 1U);
}

/// A device on which managed memory belongs to one side at a time.
class one_at_a_time : public test::faulty_backend {
 public:
  using faulty_backend::faulty_backend;
  platform::status describe(capabilities& into) override {
    auto result = faulty_backend::describe(into);
    into.managed_concurrent = {false, "one side at a time", "use mapped buffers"};
    return result;
  }
};

TEST_F(ManagedBuffer, IsRefusedWhereBothSidesCannotTouchItAtOnce) {
  const auto old = std::make_shared<one_at_a_time>(platform::make_cpu({}));
  const auto other = platform::make_device(old, "old:0", "");
  for (const auto& options : {managed_options{}, migrating}) {
    expect_error(fault::not_supported,
                 {"managed memory on old:0", "one side at a time", "use mapped buffers"},
                 [&] { (void)managed_buffer<int>(other, 1, options); });
  }
  EXPECT_EQ(old->live(), test::live_resources{});
}

}  // namespace
}  // namespace pinhole
