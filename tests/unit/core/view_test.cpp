// The view that kernels receive.
#include "pinhole/core/view.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <type_traits>

namespace pinhole {
namespace {

static_assert(std::is_trivially_copyable_v<view<const double>>);
static_assert(sizeof(view<int>) == sizeof(int*) + sizeof(std::size_t));
static_assert(std::is_convertible_v<view<int>, view<const int>>);
static_assert(!std::is_convertible_v<view<const int>, view<int>>, "const must not be lost");

TEST(View, IsEmptyByDefault) {
  const view<int> nothing;
  EXPECT_TRUE(nothing.empty());
  EXPECT_EQ(nothing.size(), 0U);
  EXPECT_EQ(nothing.data(), nullptr);
  EXPECT_EQ(nothing.begin(), nothing.end());
}

TEST(View, ReadsAndWritesInPlace) {
  std::array<int, 4> data = {1, 2, 3, 4};
  const view<int> all(data.data(), data.size());
  all[2] = 30;
  EXPECT_EQ(data[2], 30);
  EXPECT_EQ(std::accumulate(all.begin(), all.end(), 0), 37);
}

TEST(View, NarrowsToASubview) {
  std::array<int, 5> data = {0, 1, 2, 3, 4};
  const view<int> all(data.data(), data.size());
  const auto middle = all.subview(1, 3);
  EXPECT_EQ(middle.size(), 3U);
  EXPECT_EQ(middle.data(), data.data() + 1);
  EXPECT_EQ(middle[2], 3);
  EXPECT_TRUE(all.subview(5, 0).empty());
}

TEST(View, ConvertsToAViewOfConst) {
  std::array<int, 2> data = {1, 2};
  const view<const int> readable = view<int>(data.data(), data.size());
  EXPECT_EQ(readable.data(), data.data());
  EXPECT_EQ(readable.size(), 2U);
  EXPECT_EQ(readable[1], 2);
}

TEST(View, WorksInConstantExpressions) {
  static constexpr std::array<int, 3> numbers = {1, 2, 3};
  constexpr view<const int> seen(numbers.data(), numbers.size());
  static_assert(seen[1] == 2 && seen.subview(2, 1)[0] == 3);
  EXPECT_EQ(seen.size(), 3U);
}

}  // namespace
}  // namespace pinhole
