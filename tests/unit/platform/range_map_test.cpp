// Disjoint ranges of addresses.
#include "platform/range_map.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace pinhole::platform {
namespace {

const void* at(std::uintptr_t address) {
  return reinterpret_cast<const void*>(address);
}

TEST(RangeMap, FindsEveryKindOfOverlapAndNothingElse) {
  range_map ranges;
  ranges.insert(at(100), 50);
  ranges.insert(at(200), 10);
  EXPECT_FALSE(ranges.overlapping(at(0), 100)) << "ends where a range begins";
  EXPECT_FALSE(ranges.overlapping(at(150), 50)) << "fills the gap exactly";
  EXPECT_FALSE(ranges.overlapping(at(210), 1000)) << "begins where a range ends";
  for (const auto& [first, bytes] : {std::pair{100, 50}, std::pair{90, 11}, std::pair{149, 10},
                                     std::pair{120, 5}, std::pair{50, 120}}) {
    const auto found =
        ranges.overlapping(at(static_cast<std::uintptr_t>(first)), static_cast<std::size_t>(bytes));
    ASSERT_TRUE(found) << first << " + " << bytes;
    EXPECT_EQ(found->first, 100U);
    EXPECT_EQ(found->end(), 150U);
  }
}

TEST(RangeMap, ErasesByTheFirstAddressOnly) {
  range_map ranges;
  ranges.insert(at(100), 50);
  EXPECT_FALSE(ranges.erase(at(120)));
  EXPECT_EQ(ranges.size(), 1U);
  EXPECT_TRUE(ranges.erase(at(100)));
  EXPECT_FALSE(ranges.erase(at(100)));
  EXPECT_FALSE(ranges.overlapping(at(100), 50));
}

}  // namespace
}  // namespace pinhole::platform
