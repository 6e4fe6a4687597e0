// Drawn positions: distinct, in order, within the array, and different for another key.
#include "scenarios/drawing.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace pinhole::scenarios {
namespace {

TEST(Drawing, PositionsAscendThroughEqualSharesOfTheArray) {
  const drawing some{.key = 7, .share = 1000};
  for (std::size_t i = 0; i < 5000; ++i) {
    EXPECT_GE(some[i], i * 1000);
    EXPECT_LT(some[i], (i + 1) * 1000);
  }
}

TEST(Drawing, AShareOfOneDrawsEveryPosition) {
  const drawing all{.key = 3, .share = 1};
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(all[i], i);
  }
}

TEST(Drawing, ReachesAllOfAShare) {
  const drawing some{.key = 11, .share = 4};
  bool met[4] = {};
  for (std::size_t i = 0; i < 200; ++i) {
    met[some[i] % 4] = true;
  }
  EXPECT_TRUE(met[0] && met[1] && met[2] && met[3]);
}

TEST(Drawing, TheLargestShareDoesNotOverflow) {
  constexpr std::uint64_t largest = std::numeric_limits<std::uint32_t>::max();
  const drawing some{.key = 5, .share = largest};
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(some[i] / largest, i);
  }
}

TEST(Drawing, AnotherKeyDrawsOthers) {
  const drawing one{.key = 1, .share = 1U << 20U};
  const drawing other{.key = 1000, .share = 1U << 20U};
  unsigned same = 0;
  for (std::size_t i = 0; i < 100; ++i) {
    same += one[i] == other[i] ? 1 : 0;
  }
  EXPECT_LT(same, 3U);
}

}  // namespace
}  // namespace pinhole::scenarios
