// A series of contests in words.
#include "scenarios/crossover.hpp"

#include <gtest/gtest.h>

namespace pinhole::scenarios {
namespace {

TEST(WhoWins, PutsEachRunOfTheSeriesIntoWords) {
  const contest series[] = {{"1", 1, 2}, {"2", 1, 2}, {"3", 3, 2}, {"4", 1, 2}, {"5", 2, 2}};
  EXPECT_EQ(who_wins(series, "we", "they"),
            "we is faster at 1 to 2, they at 3, we at 4, they at 5");
  EXPECT_EQ(who_wins(std::span(series).first(1), "we", "they"), "we is faster at 1");
  EXPECT_EQ(who_wins({}, "we", "they"), "");
}

TEST(BestOf, IsTheLeastMedianOfTheArmsThatAreWanted) {
  trial_result from;
  from.arms.resize(3);
  for (std::size_t i = 0; i < 3; ++i) {
    from.arms[i].name = std::string(1, static_cast<char>('a' + i));
    from.arms[i].median_us = static_cast<double>(3 - i);
  }
  EXPECT_EQ(best_us(from, [](const arm_result& one) { return one.name != "c"; }), 2.0);
  EXPECT_EQ(best_us(from, [](const arm_result&) { return false; }), std::nullopt);
}

}  // namespace
}  // namespace pinhole::scenarios
