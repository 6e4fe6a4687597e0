// Figures that can be checked: a value and the samples that it is computed from.
#pragma once

#include <string>
#include <vector>

#include "tools/support/report.hpp"

namespace pinhole::measure {

using tool::json;

/// Arrays of samples by name, each once in a results file.
class sample_sets {
 public:
  /// A name that is taken throws std::invalid_argument.
  void add(const std::string& name, const std::vector<double>& samples);
  /// The array, or nullptr.
  [[nodiscard]] const std::vector<double>* find(const std::string& name) const;
  [[nodiscard]] const json& as_json() const noexcept { return all_as_json_; }

 private:
  std::vector<std::pair<std::string, std::vector<double>>> all_;
  json all_as_json_ = json::object();
};

/// How a value follows from samples; scripts/figures knows the same operations.
struct formula {
  /// "ratio_of_medians", "ratio_of_geomeans", "ratio_of_p99"; "difference_of_medians", where the
  /// denominator is what is taken off; or of the numerator alone "median", "geomean", "largest",
  /// "share_up_to" the limit.
  std::string op;
  std::string numerator;  ///< names of sample arrays
  std::string denominator = {};
  double limit = 0;
};

/// The value, from samples that must be there and not be empty; else std::invalid_argument.
[[nodiscard]] double evaluate(const formula& how, const sample_sets& samples);

/// One figure of results/goals.json, measured.
struct figure {
  std::string name;
  std::string unit;
  std::string opponent;  ///< in words, as the goal names it
  formula how;
};

/// With the value computed.
[[nodiscard]] json figure_json(const figure& one, const sample_sets& samples);

}  // namespace pinhole::measure
