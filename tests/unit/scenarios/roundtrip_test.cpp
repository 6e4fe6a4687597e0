// Round trips: right answers, a time for each message, and periods that are missed.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "pinhole/core/units.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/unit/scenarios/trials.hpp"

namespace pinhole::scenarios {
namespace {

settings one_size(std::uint64_t bytes) {
  auto asked = test::settings_for(device::cpu());
  asked.size = bytes;
  return asked;
}

TEST(Roundtrip, RunsAtARateAndFlatOut) {
  const auto trials = find("roundtrip")->plan(one_size(4_KiB));
  ASSERT_EQ(trials.size(), 2U);
  EXPECT_EQ(trials[0].label, "messages of 4 KiB, flat out");
  EXPECT_EQ(trials[1].label, "messages of 4 KiB, 1000 a second");
}

TEST(Roundtrip, TimesEachMessageByItself) {
  for (const auto& one : test::run_all("roundtrip", one_size(64))) {
    for (const auto& of : one.arms) {
      EXPECT_EQ(of.samples_us.size(), 10U) << of.name;
      EXPECT_GT(*std::ranges::min_element(of.samples_us), 0.0) << of.name;
      EXPECT_EQ(of.moved.to_device, 64U) << of.name;
    }
  }
}

TEST(Roundtrip, MissesPeriodsThatAreShorterThanAnAnswerTakes) {
  auto asked = one_size(512_KiB);
  asked.rate = 1'000'000;
  const auto results = test::run_all("roundtrip", asked);
  ASSERT_EQ(results.size(), 2U);
  EXPECT_TRUE(results[0].arms.front().metrics.empty());  // flat out nothing is ever late
  for (const auto& one : results[1].arms) {
    ASSERT_EQ(one.metrics.size(), 1U);
    EXPECT_EQ(one.metrics[0].name, "missed periods");
    EXPECT_EQ(one.metrics[0].value, 100.0) << one.name;
    // Each message waits for those before it, and its time counts from when it was due.
    EXPECT_TRUE(std::ranges::is_sorted(one.samples_us)) << one.name;
  }
}

TEST(Roundtrip, MissesNoPeriodThatIsLongEnough) {
  auto asked = one_size(64);
  asked.rate = 2;
  const auto made = find("roundtrip")->plan(asked).back().make();
  auto& one = *made->arms.front();
  one.prepare();
  one.run();
  EXPECT_EQ(one.check(), std::nullopt);
  ASSERT_EQ(one.own_times_us()->size(), 2U);
  EXPECT_EQ(one.metrics().front().value, 0.0);
}

TEST(Roundtrip, EveryArmIsRightAndAnIdleOneIsFoundOut) {
  test::expect_right_everywhere("roundtrip", one_size(64), "answer to message 0");
}

TEST(Roundtrip, RefusesRatesThatNobodyKeeps) {
  for (const std::uint64_t rate : {std::uint64_t{0}, std::uint64_t{1'000'000'000}}) {
    auto asked = test::settings_for(device::cpu());
    asked.rate = rate;
    pinhole::test::expect_error(fault::invalid_argument,
                                {"--rate " + std::to_string(rate), "1 to 1000000"},
                                [&] { (void)find("roundtrip")->plan(asked); });
  }
}

TEST(Roundtrip, RefusesMessagesOfNoWordsOrPartsOfOne) {
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{63}}) {
    pinhole::test::expect_error(fault::invalid_argument,
                                {"--size " + std::to_string(size), "roundtrip"},
                                [&] { (void)find("roundtrip")->plan(one_size(size)); });
  }
}

}  // namespace
}  // namespace pinhole::scenarios
