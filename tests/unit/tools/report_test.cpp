#include "tools/support/report.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace pinhole::tool {
namespace {

TEST(Pretty, KeepsTheOrderAndPutsNumbersOnOneLine) {
  const json value = {{"z", 1},
                      {"a", {1.5, 2.0}},
                      {"list", json::array({json{{"k", "v"}}})},
                      {"none", json::array()}};
  EXPECT_EQ(pretty(value),
            "{\n \"z\": 1,\n \"a\": [1.5,2.0],\n \"list\": [\n  {\n   \"k\": \"v\"\n  }\n ],\n"
            " \"none\": []\n}\n");
  EXPECT_EQ(json::parse(pretty(value)), value);
}

TEST(Pretty, SurvivesWhatJsonCannotHold) {
  const std::string text =
      pretty({{"text", "caf\xe9"}, {"number", std::numeric_limits<double>::infinity()}});
  EXPECT_EQ(json::parse(text)["number"], nullptr);
  EXPECT_EQ(json::parse(text)["text"], "caf\xef\xbf\xbd");
}

TEST(TrialJson, CarriesEverySampleUnrounded) {
  scenarios::trial_result result;
  result.scenario = "flag";
  result.arms.push_back({.name = "mapped",
                         .placed = placement::mapped,
                         .samples_us = {0.1, 1.0 / 3.0},
                         .moved = {.to_device = 1, .to_host = 2},
                         .metrics = {},
                         .vs_naive = 2.0,
                         .vs_expert = {}});
  const json arm = json::parse(pretty(trial_json(result)))["arms"][0];
  EXPECT_EQ(arm["samples_us"][1].get<double>(), 1.0 / 3.0);
  EXPECT_EQ(arm["placement"], "mapped");
  EXPECT_EQ(arm["vs_naive"], 2.0);
  EXPECT_EQ(arm["vs_expert"], nullptr);
}

TEST(Provenance, NamesTheProgramButNotItsFolder) {
  const json from = provenance({"/some/where/pinhole", "compare"});
  EXPECT_EQ(from["command"], json({"pinhole", "compare"}));
  EXPECT_FALSE(from["commit"].get<std::string>().empty());
}

}  // namespace
}  // namespace pinhole::tool
