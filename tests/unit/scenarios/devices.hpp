// Which devices the tests of scenarios run on, and how they run an arm.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "pinhole/memory/pin_budget.hpp"
#include "scenarios/scenario.hpp"

namespace pinhole::scenarios::test {

/// The CPU device, and every GPU where there is one.
inline std::vector<device> all_devices() {
  auto devices = device::all();
  if (devices.front().kind() != device_kind::cpu) {
    devices.insert(devices.begin(), device::cpu());
  }
  return devices;
}

/// Settings as `compare` without options has them.
inline settings settings_for(const device& where) {
  return {.where = where,
          .placements = {},
          .size = {},
          .full = false,
          .text_file = {},
          .words_file = {},
          .seed = 1};
}

/// Prepares, runs and checks an arm; what differs, if anything does.
inline std::optional<std::string> run_once(arm& one) {
  one.prepare();
  one.run();
  return one.check();
}

/// Expects that every arm is right, twice in a row, and that its results are its own: an arm that
/// did nothing since prepare() must differ, and say so by naming `element`.
inline void expect_right_and_awake(trial& made, const std::string& element) {
  for (const auto& one : made.arms) {
    SCOPED_TRACE(made.label + "/" + one->name());
    if (one->stands_for() == role::pitfall) {
      continue;
    }
    EXPECT_EQ(run_once(*one), std::nullopt);
    EXPECT_EQ(run_once(*one), std::nullopt);
    one->prepare();
    const auto difference = one->check();
    ASSERT_TRUE(difference.has_value());
    EXPECT_NE(difference->find(element), std::string::npos) << *difference;
  }
}

inline const arm* find_arm(const trial& made, role wanted) {
  for (const auto& one : made.arms) {
    if (one->stands_for() == wanted) {
      return one.get();
    }
  }
  return nullptr;
}

/// A limit of the pin budget for as long as it lives.
class pin_limit {
 public:
  explicit pin_limit(std::uint64_t bytes) { pin_budget::process().set_limit(bytes); }
  ~pin_limit() { pin_budget::process().clear_limit(); }
  pin_limit(const pin_limit&) = delete;
  pin_limit& operator=(const pin_limit&) = delete;
};

}  // namespace pinhole::scenarios::test
