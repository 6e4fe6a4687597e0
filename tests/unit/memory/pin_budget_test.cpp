// How much may be pinned: the default, limits, the refusal, and counting from many threads.
#include "pinhole/memory/pin_budget.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/support/expect_error.hpp"
#include "tests/support/os.hpp"

namespace pinhole {
namespace {

static_assert(!std::is_copy_constructible_v<pin_budget> &&
              !std::is_move_constructible_v<pin_budget>);
static_assert(!std::is_copy_constructible_v<pin_budget::reservation>);
static_assert(std::is_nothrow_move_constructible_v<pin_budget::reservation>);

class PinBudget : public testing::Test {
 protected:
  PinBudget() { budget.clear_limit(); }
  ~PinBudget() override { budget.clear_limit(); }

  pin_budget& budget = pin_budget::process();
  std::uint64_t before = budget.in_use();
};

TEST_F(PinBudget, IsOneForTheProcess) {
  EXPECT_EQ(&pin_budget::process(), &budget);
}

TEST_F(PinBudget, IsATenthOfTheMachinesMemoryByDefault) {
  const test::fake_system system;
  system.write("/proc/meminfo", "MemTotal:       1000000 kB\n");
  EXPECT_EQ(budget.limit(), 102'400'000U);
  EXPECT_EQ(budget.origin(), "10 % of 976.6 MiB (MemTotal)");
}

TEST_F(PinBudget, IsATenthOfTheSmallestCgroupLimitBelowThat) {
  const test::fake_system system;
  system.write("/proc/meminfo", "MemTotal:       1000000 kB\n");
  system.write("/proc/self/cgroup", "0::/job/step\n");
  system.write("/sys/fs/cgroup/job/memory.max", "200000000\n");
  EXPECT_EQ(budget.limit(), 20'000'000U);
  EXPECT_NE(budget.origin().find("/sys/fs/cgroup/job/memory.max"), std::string::npos)
      << budget.origin();
  system.write("/sys/fs/cgroup/job/memory.max", "900000000000\n");
  EXPECT_EQ(budget.limit(), 102'400'000U) << "a limit above the machine's memory limits nothing";
}

TEST_F(PinBudget, ReadsTheMachineAnewAtEachRequest) {
  const test::fake_system system;
  system.write("/proc/meminfo", "MemTotal:       1000000 kB\n");
  budget.set_limit(before + 100);
  budget.clear_limit();
  EXPECT_EQ(budget.reserve(1000, "pin").bytes(), 1000U);
  system.write("/proc/meminfo", "MemTotal:       4 kB\n");
  test::expect_error(fault::over_budget, {"cannot pin", "MemTotal"},
                     [&] { (void)budget.reserve(1000, "pin"); });
}

TEST_F(PinBudget, WorksWithoutProc) {
  const test::fake_system nothing;
  EXPECT_GT(budget.limit(), 0U);
  EXPECT_EQ(budget.reserve(1, "pin").bytes(), 1U);
}

TEST_F(PinBudget, CountsReservationsUntilTheyEnd) {
  budget.set_limit(before + 1000);
  {
    const auto first = budget.reserve(600, "pin");
    EXPECT_EQ(first.bytes(), 600U);
    EXPECT_EQ(budget.in_use(), before + 600);
    const auto second = budget.reserve(400, "pin");
    EXPECT_EQ(budget.in_use(), before + 1000);
    EXPECT_EQ(budget.reserve(0, "pin").bytes(), 0U) << "nothing always fits";
  }
  EXPECT_EQ(budget.in_use(), before);
  EXPECT_GE(budget.high_water(), before + 1000);
}

TEST_F(PinBudget, MovesReservationsWithoutCountingTwice) {
  budget.set_limit(before + 1000);
  {
    auto first = budget.reserve(100, "pin");
    pin_budget::reservation second = std::move(first);
    EXPECT_EQ(first.bytes(), 0U);
    EXPECT_EQ(second.bytes(), 100U);
    second = budget.reserve(300, "pin");
    EXPECT_EQ(second.bytes(), 300U);
    EXPECT_EQ(budget.in_use(), before + 300);
    auto& same = second;
    second = std::move(same);
    EXPECT_EQ(budget.in_use(), before + 300);
  }
  EXPECT_EQ(budget.in_use(), before);
}

TEST_F(PinBudget, RefusesWhatIsTooMuchAndSaysHowToRaiseIt) {
  budget.set_limit(before + 4096);
  const auto some = budget.reserve(1024, "pin");
  test::expect_error(fault::over_budget,
                     {"cannot pin a table", format_bytes(before + 4096), "set by the program",
                      format_bytes(before + 1024), "4 KiB", "set_limit", "--pin-limit"},
                     [&] { (void)budget.reserve(4096, "pin a table"); });
  EXPECT_EQ(budget.in_use(), before + 1024) << "nothing has changed";
  test::expect_error(fault::over_budget, {"cannot pin", "16 EiB"}, [&] {
    (void)budget.reserve(std::numeric_limits<std::uint64_t>::max(), "pin");
  });
}

TEST_F(PinBudget, TakesNothingAwayWhenTheLimitSinks) {
  budget.set_limit(before + 1000);
  const auto held = budget.reserve(800, "pin");
  budget.set_limit(before + 10);
  EXPECT_EQ(budget.in_use(), before + 800);
  EXPECT_EQ(budget.limit(), before + 10);
  test::expect_error(fault::over_budget, {"set by the program"},
                     [&] { (void)budget.reserve(1, "pin"); });
}

TEST_F(PinBudget, NeverExceedsItsLimitWhateverTheThreadsDo) {
  constexpr std::uint64_t room = 1000;
  budget.set_limit(before + room);
  std::atomic<bool> exceeded = false;
  std::vector<std::thread> users;
  for (int i = 0; i < 4; ++i) {
    users.emplace_back([&] {
      for (int j = 0; j < 500; ++j) {
        try {
          const auto held = budget.reserve(300, "pin");
          exceeded = exceeded || budget.in_use() > before + room;
        } catch (const error& refused) {
          EXPECT_EQ(refused.kind(), fault::over_budget);
        }
      }
    });
  }
  for (auto& user : users) {
    user.join();
  }
  EXPECT_FALSE(exceeded);
  EXPECT_EQ(budget.in_use(), before);
}

}  // namespace
}  // namespace pinhole
