// The list of scenarios, and what settings mean.
#include "scenarios/scenario.hpp"

#include <set>

#include "tests/unit/scenarios/devices.hpp"

namespace pinhole::scenarios {
namespace {

TEST(Scenarios, HaveNamesOfTheirOwnByWhichTheyAreFound) {
  std::set<std::string_view> names;
  for (const scenario* one : all()) {
    EXPECT_TRUE(names.insert(one->name()).second) << one->name();
    EXPECT_EQ(find(one->name()), one);
    EXPECT_FALSE(one->summary().empty()) << one->name();
  }
  EXPECT_TRUE(names.contains("transfer"));
  EXPECT_TRUE(names.contains("flag"));
  EXPECT_TRUE(names.contains("text"));
}

TEST(Scenarios, AnUnknownNameFindsNone) {
  EXPECT_EQ(find("tranfser"), nullptr);
  EXPECT_EQ(find(""), nullptr);
}

TEST(Settings, WithoutPlacementsWantAll) {
  auto asked = test::settings_for(device::cpu());
  EXPECT_TRUE(asked.wants(placement::mapped));
  asked.placements = {placement::registered};
  EXPECT_FALSE(asked.wants(placement::mapped));
  EXPECT_TRUE(asked.wants(placement::registered));
}

TEST(Roles, AreSpelledAsInTheEnumeration) {
  EXPECT_EQ(to_string(role::naive_copy), "naive_copy");
  EXPECT_EQ(to_string(role::expert_copy), "expert_copy");
  EXPECT_EQ(to_string(role::in_place), "in_place");
  EXPECT_EQ(to_string(role::bare), "bare");
  EXPECT_EQ(to_string(role::pitfall), "pitfall");
}

}  // namespace
}  // namespace pinhole::scenarios
