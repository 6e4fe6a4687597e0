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

TEST(Lookup, RunsFlatOutAndAtThreeRates) {
  const auto trials = find("lookup")->plan(small_table());
  ASSERT_EQ(trials.size(), 4U);
  EXPECT_EQ(trials[0].label, "requests flat out");
  EXPECT_EQ(trials[1].label, "1000 requests a second");
  EXPECT_EQ(trials[3].label, "100000 requests a second");
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
  ASSERT_EQ(results.size(), 2U);
  for (const auto& of : results[1].arms) {
    EXPECT_EQ(of.samples_us.size(), 10U) << of.name;
    ASSERT_EQ(of.metrics.size(), 1U) << of.name;
    EXPECT_EQ(of.metrics[0].name, "missed periods");
  }
  const auto lines = find("lookup")->conclude(results);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find("mailbox"), std::string::npos) << lines[0];
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
