// The names of placements.
#include "pinhole/memory/placement.hpp"

#include <gtest/gtest.h>

#include <set>

namespace pinhole {
namespace {

TEST(Placement, HasANameThatLeadsBackToIt) {
  std::set<std::string_view> names;
  for (const auto one : all_placements()) {
    EXPECT_TRUE(names.insert(to_string(one)).second) << to_string(one) << " names two placements";
    EXPECT_EQ(placement_from(to_string(one)), one);
  }
  EXPECT_EQ(to_string(placement::staged), "staged");
  EXPECT_EQ(to_string(placement::mapped), "mapped");
  EXPECT_EQ(to_string(placement::registered), "registered");
}

TEST(Placement, ListsThemInTheOrderOfTheEnumeration) {
  int expected = 0;
  for (const auto one : all_placements()) {
    EXPECT_EQ(static_cast<int>(one), expected++);
  }
  EXPECT_GE(expected, 3);
}

TEST(Placement, HasNoOtherNames) {
  for (const char* const name : {"", "Mapped", "mapped ", "map", "pinned", "staged,mapped"}) {
    EXPECT_FALSE(placement_from(name)) << name;
  }
}

}  // namespace
}  // namespace pinhole
