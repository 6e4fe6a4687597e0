// Lookups: right answers by every road, at every rate.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "pinhole/core/units.hpp"
#include "scenarios/lookup.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/unit/scenarios/trials.hpp"

namespace pinhole::scenarios {
namespace {

settings small_table(const device& where = device::cpu()) {
  auto asked = test::settings_for(where);
  asked.size = 4_KiB;
  return asked;
}

TEST(Lookup, RunsFlatOutInTwoWaysAndAtThreeRates) {
  const auto trials = find("lookup")->plan(small_table());
  ASSERT_EQ(trials.size(), 5U);
  EXPECT_EQ(trials[0].label, "requests flat out, one by one");
  EXPECT_EQ(trials[1].label, "requests flat out, 64 in flight");
  EXPECT_EQ(trials[2].label, "1000 requests a second");
  EXPECT_EQ(trials[4].label, "100000 requests a second");
  auto asked = small_table();
  asked.rate = 50;
  EXPECT_EQ(find("lookup")->plan(asked).back().label, "50 requests a second");
}

TEST(Lookup, EveryArmIsRightAndAnIdleOneIsFoundOut) {
  for (const auto& where : test::all_devices()) {
    for (const auto& planned : find("lookup")->plan(small_table(where))) {
      test::expect_right_and_awake(*planned.make(), "answer to message 0");
    }
  }
}

TEST(Lookup, TimesEachRequestAndCountsWhatCameLate) {
  auto asked = small_table();
  asked.rate = 1'000'000;
  const auto results = test::run_all("lookup", asked);
  ASSERT_EQ(results.size(), 3U);
  for (const auto& of : results[2].arms) {
    EXPECT_EQ(of.samples_us.size(), 100U) << of.name;
    ASSERT_EQ(of.metrics.size(), 1U) << of.name;
    EXPECT_EQ(of.metrics[0].name, "missed periods");
  }
  const auto lines = find("lookup")->conclude(results);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].find("requests flat out, one by one, a second: copy "), 0U) << lines[0];
  EXPECT_EQ(lines[1].find("requests flat out, 64 in flight, a second: copy "), 0U) << lines[1];
  EXPECT_NE(lines[1].find("mailbox"), std::string::npos) << lines[1];
}

TEST(Lookup, TimesARunAsAWholeWhereManyAreInFlight) {
  const auto results = test::run_all("lookup", small_table());
  for (const auto& of : results.at(1).arms) {
    EXPECT_EQ(of.samples_us.size(), 1U) << of.name;
    EXPECT_GT(of.samples_us.front(), 0.0) << of.name;
  }
}

TEST(Lookup, RowsHoldWhatAnotherProgramWorkedOut) {
  EXPECT_EQ(row_value(0), 2065550767U);
  EXPECT_EQ(row_value(1), 2298633409U);
  EXPECT_EQ(row_value(4'000'000'000), 3912513495U);
}

TEST(Lookup, SaysThatAPlacementMeansNothing) {
  auto asked = small_table();
  asked.placements = {placement::mapped};
  const auto made = find("lookup")->plan(asked).front().make();
  ASSERT_FALSE(made->notes.empty());
  EXPECT_NE(made->notes[0].find("--placement"), std::string::npos) << made->notes[0];
}

TEST(Lookup, NoRowHoldsWhatAReplyHoldsBefore) {
  for (std::uint32_t row = 0; row < 10'000; ++row) {
    EXPECT_NE(row_value(row), 0U);
  }
}

TEST(Lookup, RefusesTablesThatNoRequestCanName) {
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{6}}) {
    auto asked = small_table();
    asked.size = size;
    pinhole::test::expect_error(fault::invalid_argument, {"--size", "lookup"},
                                [&] { (void)find("lookup")->plan(asked); });
  }
  auto asked = small_table();
  asked.rate = 0;
  pinhole::test::expect_error(fault::invalid_argument, {"--rate 0"},
                              [&] { (void)find("lookup")->plan(asked); });
}

}  // namespace
}  // namespace pinhole::scenarios
