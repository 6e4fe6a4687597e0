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

TEST_F(PinBudget, ReadsLimitsInBytesAndInPercentOfTheMemory) {
  const test::fake_system system;
  system.write("/proc/meminfo", "MemTotal:       1000000 kB\n");
  EXPECT_EQ(pin_budget::parse_limit("64MiB"), 64_MiB);
  EXPECT_EQ(pin_budget::parse_limit("0"), 0U);
  EXPECT_EQ(pin_budget::parse_limit("50%"), 512'000'000U);
  EXPECT_EQ(pin_budget::parse_limit("12.5 %"), 128'000'000U);
  EXPECT_EQ(pin_budget::parse_limit("100%"), 1'024'000'000U);
  EXPECT_EQ(pin_budget::parse_limit("0%"), 0U);
  for (const char* const bad : {"101%", "-1%", "%", "5%%", "half%", "nan%", "1e1%", "5% of it"}) {
    test::expect_error(fault::invalid_argument, {bad, "0% to 100%"},
                       [&] { (void)pin_budget::parse_limit(bad); });
  }
  for (const char* const bad : {"", "lots", "-5", "12Q"}) {
    test::expect_error(fault::invalid_argument, {"number of bytes"},
                       [&] { (void)pin_budget::parse_limit(bad); });
  }
}

TEST_F(PinBudget, TakesItsLimitFromTheEnvironmentUnlessTheProgramSetsOne) {
  const test::fake_system system;
  system.write("/proc/meminfo", "MemTotal:       1000000 kB\n");
  {
    const test::environment set("PINHOLE_PIN_LIMIT", "2MiB");
    EXPECT_EQ(budget.limit(), 2_MiB);
    EXPECT_EQ(budget.origin(), "PINHOLE_PIN_LIMIT=2MiB");
    budget.set_limit(1_MiB);
    EXPECT_EQ(budget.limit(), 1_MiB);
    budget.clear_limit();
  }
  const test::environment set("PINHOLE_PIN_LIMIT", "25%");
  EXPECT_EQ(budget.limit(), 256'000'000U);
  EXPECT_EQ(budget.origin(), "PINHOLE_PIN_LIMIT=25% of 976.6 MiB (MemTotal)");
}

TEST_F(PinBudget, RefusesToGuessWhatABadEnvironmentMeant) {
  for (const char* const bad : {"", "many", "200%", "-1"}) {
    const test::environment set("PINHOLE_PIN_LIMIT", bad);
    const auto quoted = "'" + std::string(bad) + "'";
    test::expect_error(fault::invalid_argument, {"PINHOLE_PIN_LIMIT", quoted, "allowed are"},
                       [&] { (void)budget.reserve(1, "pin"); });
    test::expect_error(fault::invalid_argument, {"PINHOLE_PIN_LIMIT", quoted},
                       [&] { (void)budget.limit(); });
    EXPECT_EQ(budget.in_use(), before);
  }
}

TEST_F(PinBudget, GivesAComponentAPartThatCountsAgainstTheWhole) {
  budget.set_limit(before + 1000);
  pin_budget part("decoder", 600);
  pin_budget within("frames", 500, part);
  {
    const auto one = part.reserve(300, "pin");
    const auto two = within.reserve(200, "pin");
    EXPECT_EQ(within.in_use(), 200U);
    EXPECT_EQ(part.in_use(), 500U);
    EXPECT_EQ(budget.in_use(), before + 500);
    test::expect_error(fault::over_budget, {"'decoder'", "600 B", "500 B in use", "its part"},
                       [&] { (void)within.reserve(250, "pin"); });
    EXPECT_EQ(within.in_use(), 200U) << "nothing has changed on any level";
    EXPECT_EQ(budget.in_use(), before + 500);
    test::expect_error(fault::over_budget, {"'frames'"}, [&] { (void)within.reserve(301, "pin"); });
    const auto others = budget.reserve(450, "pin");
    test::expect_error(fault::over_budget, {"the pin budget of", "--pin-limit"},
                       [&] { (void)part.reserve(51, "pin"); });
  }
  EXPECT_EQ(budget.in_use(), before);
  EXPECT_EQ(part.high_water(), 500U);
  part.set_limit(10);
  EXPECT_EQ(part.limit(), 10U);
  part.clear_limit();
  EXPECT_EQ(part.limit(), 600U) << "what it was made with";
}

TEST_F(PinBudget, KeepsCountWhenAPartEndsBeforeItsReservations) {
  pin_budget::reservation kept;
  {
    pin_budget part("short-lived", 100);
    kept = part.reserve(60, "pin");
  }
  EXPECT_EQ(budget.in_use(), before + 60);
  kept = {};
  EXPECT_EQ(budget.in_use(), before);
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
