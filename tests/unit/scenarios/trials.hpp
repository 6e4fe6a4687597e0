// Runs whole scenarios once, and looks at which arms they have.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "scenarios/arms.hpp"
#include "scenarios/runner.hpp"
#include "tests/unit/scenarios/devices.hpp"

namespace pinhole::scenarios::test {

/// Every trial of a scenario with one measured run of each arm. Throws for a wrong result.
inline std::vector<trial_result> run_all(std::string_view scenario_name, const settings& asked) {
  std::vector<trial_result> results;
  for (const auto& planned : find(scenario_name)->plan(asked)) {
    const auto made = planned.make();
    results.push_back(run(scenario_name, *made, {.repeat = 1, .seconds = 0, .progress = {}}));
  }
  return results;
}

/// There is a naive copy, an expert copy, and every placement that the device has.
inline void expect_all_arms(const trial_result& of, const device& where) {
  EXPECT_FALSE(of.naive_opponent.empty()) << of.label;
  EXPECT_FALSE(of.expert_opponent.empty()) << of.label;
  for (const placement how : placements_anywhere(settings_for(where))) {
    EXPECT_TRUE(
        std::ranges::any_of(of.arms, [how](const arm_result& one) { return one.placed == how; }))
        << of.label << ": " << to_string(how);
  }
}

/// As devices.hpp says of a trial, of all trials of a scenario on all devices, which also have
/// every arm.
inline void expect_right_everywhere(std::string_view scenario_name, settings asked,
                                    const std::string& element) {
  for (const device& where : all_devices()) {
    asked.where = where;
    for (const auto& planned : find(scenario_name)->plan(asked)) {
      const auto made = planned.make();
      expect_right_and_awake(*made, element);
      expect_all_arms(run(scenario_name, *made, {.repeat = 1, .seconds = 0, .progress = {}}),
                      where);
    }
  }
}

}  // namespace pinhole::scenarios::test
