// Drawn positions: distinct, in order, within the array, and different for another key.
#include "scenarios/drawing.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace pinhole::scenarios {
namespace {

TEST(Drawing, PositionsAscendThroughEqualPartsOfTheArray) {
  const drawing some(7, 5'000'000, 5000);
  for (std::size_t i = 0; i < 5000; ++i) {
    EXPECT_GE(some[i] + 1, i * 1000);
    EXPECT_LT(some[i], (i + 1) * 1000);
  }
}

TEST(Drawing, ReachesBothEndsOfAnArrayThatTheCountDoesNotDivide) {
  const drawing most(3, 100, 60);
  std::size_t last = most[0];
  EXPECT_LE(last, 1U);
  for (std::size_t i = 1; i < 60; ++i) {
    EXPECT_GT(most[i], last) << i;
    last = most[i];
  }
  EXPECT_GE(last, 98U);
  EXPECT_LT(last, 100U);
}

TEST(Drawing, AsManyPositionsAsThereAreAreAllOfThem) {
  const drawing all(3, 100, 100);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(all[i], i);
  }
}

TEST(Drawing, ReachesAllOfAPart) {
  const drawing some(11, 800, 200);
  bool met[4] = {};
  for (std::size_t i = 0; i < 200; ++i) {
    met[some[i] % 4] = true;
  }
  EXPECT_TRUE(met[0] && met[1] && met[2] && met[3]);
}

TEST(Drawing, TheLargestArrayDoesNotOverflow) {
  constexpr std::uint64_t largest = std::numeric_limits<std::uint32_t>::max();
  for (std::uint64_t key = 0; key < 100; ++key) {
    EXPECT_LT(drawing(key, largest, 1)[0], largest);
    EXPECT_GE(drawing(key, largest, 3)[2], largest / 3 * 2 - 1);
    EXPECT_LT(drawing(key, largest, 3)[2], largest);
    EXPECT_EQ(drawing(key, largest, largest)[largest - 1], largest - 1);
  }
}

TEST(Drawing, AnotherKeyDrawsOthers) {
  const drawing one(1, 100U << 20U, 100);
  const drawing other(1000, 100U << 20U, 100);
  unsigned same = 0;
  for (std::size_t i = 0; i < 100; ++i) {
    same += one[i] == other[i] ? 1 : 0;
  }
  EXPECT_LT(same, 3U);
}

}  // namespace
}  // namespace pinhole::scenarios
