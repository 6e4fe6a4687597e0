// Runs a trial: verifies every arm, warms up, then measures the arms in turns.
#pragma once

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/scenario.hpp"

namespace pinhole::scenarios {

struct arm_result {
  std::string name;
  role stands_for = role::in_place;
  std::optional<placement> placed;
  std::vector<double> samples_us;  ///< in the order in which they were measured
  double median_us = 0;
  double p99_us = 0;  ///< nearest rank; the largest sample below 100 samples
  traffic moved;
  std::vector<metric> metrics;
  /// median of the opponent / median of this arm: above 1, this arm is faster. Empty for pitfalls.
  std::optional<double> vs_naive;
  std::optional<double> vs_expert;
};

struct trial_result {
  std::string scenario;
  std::string label;
  double units = 1;
  std::string unit;
  reading read_as = reading::time;
  std::vector<arm_result> arms;
  std::vector<std::string> notes;
  /// The arms that the ratios refer to: of each kind the fastest. Empty: the trial has none.
  std::string naive_opponent;
  std::string expert_opponent;
};

struct run_options {
  std::optional<unsigned> repeat;  ///< runs per arm; empty: as many as fit `seconds`, 5 to 1000
  double seconds = 1.0;            ///< what the measuring of one trial may take, all arms together
  /// Called between runs with the share that is done, 0 to 1. What it throws ends the trial.
  std::function<void(double done)> progress;
};

/// A result that differs from the reference. `compare` ends with exit code 1 on it.
class wrong_result : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Verifies each arm (throws wrong_result "scenario/trial/arm: element ..."), runs each twice more
/// to warm up (or as often as the trial says), then measures: in every round each arm once (after
/// as many unmeasured runs as the trial says), in an order that rotates, prepare() outside the
/// timing. After the last round every arm is verified once more. Pitfalls are not verified.
[[nodiscard]] trial_result run(std::string_view scenario_name, trial& what,
                               const run_options& options);

/// Of the middle: the mean of the two middle ones for an even count. Empty input gives 0.
[[nodiscard]] double median(std::vector<double> values);
/// The nearest-rank percentile, share in (0, 1]. Empty input gives 0.
[[nodiscard]] double percentile(std::vector<double> values, double share);

}  // namespace pinhole::scenarios
