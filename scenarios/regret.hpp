// Is the advice right? Patterns are drawn from the whole space, every placement is measured for
// each, and what was advised is compared with what turned out best.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "pinhole/advice/advise.hpp"
#include "pinhole/platform/device.hpp"

namespace pinhole::scenarios {

struct regret_options {
  unsigned patterns = 100;
  std::uint64_t seed = 1;
  std::uint64_t most_bytes = 0;     ///< of a pattern; 0: what the device and the budget allow
  double seconds_of_pattern = 0.2;  ///< what measuring one may take, with at least four rounds
  unsigned most_rounds = 40;
  double longest_call_seconds = 1;  ///< patterns whose calls would take longer are drawn anew
  std::function<void(double done)> progress = {};  ///< what it throws ends the work
};

/// One placement of one pattern.
struct contender {
  placement how = placement::staged;
  double predicted_us = 0;
  double setup_us = 0;             ///< measured: making, filling and destroying, a call's share
  std::vector<double> samples_us;  ///< of calls, in turns with the other placements
};

struct judged_pattern {
  access_pattern pattern;
  placement advised = placement::staged;
  std::vector<contender> contenders;
};

/// A way to choose, and how much slower its choices were than the best ones.
struct judgement {
  std::string name;
  double geomean = 0;
  double p95 = 0;
  double worst = 0;
  double best_share = 0;        ///< of choices within 3 % of the best
  std::vector<double> regrets;  ///< of each pattern
};

/// How near the predictions of one placement came, or of all.
struct prediction_quality {
  std::string name;
  double median_error = 0;
  double within_30_percent = 0;  ///< share
  std::vector<double> errors;    ///< |predicted - measured| / measured
};

struct regret_result {
  std::vector<judged_pattern> patterns;
  std::vector<judgement> judgements;  ///< the advice, then the three rules that people use
  std::vector<prediction_quality> predictions;  ///< of all placements, then of each
};

/// The largest of sizes whose buffers are made for one pattern alone. Larger ones are shared, and
/// what making them costs is timed at every doubling.
inline constexpr std::uint64_t largest_of_its_own = std::uint64_t{256} << 20U;

/// The pattern number `i` of a seed: log-uniform over ranges, uniform over lists; units are whole
/// words, and at least one is touched.
[[nodiscard]] access_pattern drawn_pattern(std::uint64_t seed, unsigned i,
                                           std::uint64_t most_bytes);

/// The best of the even rounds is what every choice is judged against, in the odd rounds. Times
/// are those of a call with its share of the measured set-up. A choice that was not measured, as it
/// was hopeless, counts as twenty times as slow as the best.
[[nodiscard]] regret_result judged(std::vector<judged_pattern> patterns);

/// The same measurements with the advice that another profile of the machine gives.
[[nodiscard]] std::vector<judged_pattern> advised_by(const machine_profile& profile,
                                                     std::vector<judged_pattern> patterns);

/// Draws, measures and judges. Patterns whose calls would take too long are drawn anew, and
/// placements that would be twenty times slower than the best and take more than 50 ms are left
/// out (staged and mapped from a second on, as the rules choose them). Each placement's work is
/// checked before it is timed, and throws wrong_result when it is wrong. Throws
/// fault::invalid_argument when the profile is of another machine.
[[nodiscard]] regret_result measure_regret(const device& where, const machine_profile& profile,
                                           const regret_options& options);

}  // namespace pinhole::scenarios
