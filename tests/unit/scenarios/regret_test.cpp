// Tests of scenarios/regret.hpp.
#include "scenarios/regret.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "pinhole/advice/calibrate.hpp"
#include "pinhole/core/units.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/unit/advice/sample_profile.hpp"

namespace pinhole::scenarios {
namespace {

TEST(Regret, DrawsSoundPatternsAllOverTheSpace) {
  std::set<access_order> orders;
  unsigned small = 0;
  constexpr unsigned count = 2000;
  for (unsigned i = 0; i < count; ++i) {
    const auto drawn = drawn_pattern(3, i, 4_GiB);
    EXPECT_NO_THROW(require_valid(drawn));
    EXPECT_EQ(drawn.unit_bytes % 4, 0U);
    EXPECT_LE(drawn.bytes, 4_GiB);
    EXPECT_LE(drawn.unit_bytes, 65536U);
    orders.insert(drawn.order);
    small += drawn.bytes < 128_KiB ? 1 : 0;
  }
  EXPECT_EQ(orders.size(), 3U);
  EXPECT_NEAR(small, count / 2, count / 10);  // of 30 doublings, 15
}

TEST(Regret, DrawsTheSameAgainFromOneSeedOnly) {
  EXPECT_EQ(drawn_pattern(3, 5, 4_GiB).bytes, drawn_pattern(3, 5, 4_GiB).bytes);
  EXPECT_NE(drawn_pattern(3, 5, 4_GiB).bytes, drawn_pattern(4, 5, 4_GiB).bytes);
  EXPECT_NE(drawn_pattern(3, 5, 4_GiB).bytes, drawn_pattern(3, 6, 4_GiB).bytes);
}

/// Staged takes 2 us and mapped 1 us in both halves; the advice is wrong in one pattern of two.
TEST(Regret, JudgesByTheBest) {
  std::vector<judged_pattern> patterns(2);
  for (auto& one : patterns) {
    one.pattern.bytes = 1_MiB;
    one.contenders = {
        {.how = placement::staged, .predicted_us = 2, .setup_us = 0, .samples_us = {2, 2, 2, 2}},
        {.how = placement::mapped, .predicted_us = 2, .setup_us = 0, .samples_us = {1, 1, 1, 1}}};
  }
  patterns[0].advised = placement::mapped;
  patterns[1].advised = placement::staged;
  const auto result = judged(patterns);
  ASSERT_EQ(result.judgements.size(), 4U);
  EXPECT_DOUBLE_EQ(result.judgements[0].geomean, std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(result.judgements[0].worst, 2);
  EXPECT_DOUBLE_EQ(result.judgements[0].best_share, 0.5);
  EXPECT_DOUBLE_EQ(result.judgements[1].geomean, 2);  // always copy
  EXPECT_DOUBLE_EQ(result.judgements[2].geomean, 1);  // always zero-copy
  EXPECT_DOUBLE_EQ(result.judgements[3].geomean, 2);  // copy above 28 KiB
  ASSERT_EQ(result.predictions.size(), 3U);
  EXPECT_EQ(result.predictions[0].name, "all");
  EXPECT_DOUBLE_EQ(result.predictions[0].median_error, 0.5);  // none, and twice too much
  EXPECT_DOUBLE_EQ(result.predictions[0].within_30_percent, 0.5);
  EXPECT_EQ(result.predictions[1].name, "staged");
  EXPECT_DOUBLE_EQ(result.predictions[1].within_30_percent, 1);
  EXPECT_EQ(result.predictions[2].name, "mapped");
  EXPECT_DOUBLE_EQ(result.predictions[2].median_error, 1);
}

TEST(Regret, AChoiceThatWasNotMeasuredCountsAsHopeless) {
  judged_pattern one;
  one.pattern.bytes = 1_MiB;
  one.advised = placement::staged;
  one.contenders = {
      {.how = placement::staged, .predicted_us = 1, .setup_us = 0, .samples_us = {1, 1}}};
  const auto result = judged({one});
  EXPECT_DOUBLE_EQ(result.judgements[0].worst, 1);
  EXPECT_DOUBLE_EQ(result.judgements[2].worst, 20);  // always zero-copy
}

TEST(Regret, JudgesAnotherProfileByTheSameMeasurements) {
  auto profile = test::sample_profile();
  judged_pattern one;
  one.pattern = {.bytes = 64_MiB, .calls = 1000};
  const auto given = advise(one.pattern, profile);
  one.contenders = {
      {.how = given.placement, .predicted_us = 1e9, .setup_us = 0, .samples_us = {1, 1}}};
  const auto again = advised_by(profile, {one});
  EXPECT_EQ(again[0].advised, given.placement);
  EXPECT_DOUBLE_EQ(again[0].contenders[0].predicted_us, given.best().us);
  EXPECT_EQ(again[0].contenders[0].samples_us, one.contenders[0].samples_us);
}

/// The best is picked in the even rounds; what happens to it in the odd ones counts.
TEST(Regret, PicksInOneHalfAndJudgesInTheOther) {
  judged_pattern one;
  one.pattern.bytes = 4;
  one.advised = placement::staged;
  one.contenders = {
      {.how = placement::staged, .predicted_us = 1, .setup_us = 0, .samples_us = {9, 3, 9, 3}},
      {.how = placement::mapped, .predicted_us = 1, .setup_us = 0, .samples_us = {1, 6, 1, 6}}};
  EXPECT_DOUBLE_EQ(judged({one}).judgements[0].geomean, 0.5);
}

TEST(Regret, MeasuresEveryPlacementOfEveryPattern) {
  auto profile = test::sample_profile();
  profile.machine = identity_of(device::cpu());
  const auto result =
      measure_regret(device::cpu(), profile,
                     {.patterns = 5, .seed = 1, .most_bytes = 64_KiB, .seconds_of_pattern = 0});
  ASSERT_EQ(result.patterns.size(), 5U);
  for (const auto& one : result.patterns) {
    EXPECT_EQ(one.contenders.size(), profile.placements.size());
    for (const auto& each : one.contenders) {
      EXPECT_EQ(each.samples_us.size(), 4U);
    }
  }
}

TEST(Regret, RefusesTheProfileOfAnotherMachine) {
  test::expect_error(fault::invalid_argument, {"another machine", "calibrate"},
                     [] { (void)measure_regret(device::cpu(), test::sample_profile(), {}); });
}

}  // namespace
}  // namespace pinhole::scenarios
