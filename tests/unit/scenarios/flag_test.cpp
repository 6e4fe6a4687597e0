// Scenario `flag`: the search ends when the kernel says so, and not before.
#include "platform/platform.hpp"
#include "scenarios/catalog.hpp"
#include "scenarios/search.hpp"
#include "tests/unit/scenarios/devices.hpp"

namespace pinhole::scenarios {
namespace {

/// x with (x ^ x >> shift) == y.
constexpr std::uint64_t undo_shift(std::uint64_t y, unsigned shift) {
  std::uint64_t x = y;
  for (unsigned known = shift; known < 64; known += shift) {
    x = y ^ (x >> shift);
  }
  return x;
}

/// 1 / odd, modulo 2^64, by Newton's method.
constexpr std::uint64_t inverse(std::uint64_t odd) {
  std::uint64_t x = odd;
  for (int i = 0; i < 6; ++i) {
    x *= 2 - odd * x;
  }
  return x;
}

/// scramble() backwards: the answer without a search.
constexpr std::uint64_t unscramble(std::uint64_t y) {
  y = undo_shift(y, 31) * inverse(0x94D049BB133111EBU);
  y = undo_shift(y, 27) * inverse(0xBF58476D1CE4E5B9U);
  return undo_shift(y, 30) - 0x9E3779B97F4A7C15U;
}

TEST(Search, ThePlainAnswerIsTheInverse) {
  for (const unsigned turns : {1U, 2U, 13U}) {
    for (const std::uint64_t seed : {0U, 1U, 99U}) {
      const auto hidden = search::hidden_in_turn(turns, seed);
      const std::uint64_t answer = hidden.plain_answer();
      EXPECT_EQ(answer, unscramble(hidden.wanted));
      EXPECT_EQ(answer / search::candidates_per_turn + 1, turns);
    }
  }
}

TEST(Search, OtherSeedsHideItElsewhere) {
  EXPECT_NE(search::hidden_in_turn(5, 1).wanted, search::hidden_in_turn(5, 2).wanted);
}

TEST(Flag, EveryArmFindsTheAnswerInTheRightTurnAndAnIdleOneIsCaught) {
  for (const auto& where : test::all_devices()) {
    const auto made = flag().plan(test::settings_for(where)).front().make();
    EXPECT_EQ(made->units, 100);
    test::expect_right_and_awake(*made, "answer: expected");
  }
}

TEST(Flag, InPlaceNothingCrossesUntilTheFlagIsRaised) {
  auto asked = test::settings_for(device::cpu());
  asked.placements = {placement::mapped};
  const auto made = flag().plan(asked).front().make();
  EXPECT_EQ(test::find_arm(*made, role::in_place)->moved().to_device, 0U);
  EXPECT_EQ(test::find_arm(*made, role::naive_copy)->moved().to_device, 100U);
}

TEST(Flag, AHostThatDoesNotWaitReadsStaleFlags) {
  // Kernels that start late show the mistake on every machine.
  const auto late =
      platform::make_device(platform::make_cpu({.seed = 1, .delay_us = 500}), "cpu", "a late cpu");
  const auto made = flag().plan(test::settings_for(late)).front().make();
  auto& hasty = *made->arms.back();
  ASSERT_EQ(hasty.stands_for(), role::pitfall);
  hasty.prepare();
  hasty.run();
  const auto metrics = hasty.metrics();
  ASSERT_EQ(metrics.size(), 1U);
  EXPECT_EQ(metrics[0].name, "stale reads");
  EXPECT_EQ(metrics[0].unit, "of 100");
  EXPECT_GT(metrics[0].value, 50);
  EXPECT_LE(metrics[0].value, 100);
}

TEST(Flag, SaysThatASizeMeansNothing) {
  auto asked = test::settings_for(device::cpu());
  asked.size = 4096;
  const auto made = flag().plan(asked).front().make();
  ASSERT_FALSE(made->notes.empty());
  EXPECT_NE(made->notes[0].find("--size"), std::string::npos);
}

}  // namespace
}  // namespace pinhole::scenarios
