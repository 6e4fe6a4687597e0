// What the trials of a scenario say together: who is faster from where on.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenarios/runner.hpp"

namespace pinhole::scenarios {

/// The least median of the arms of `of` that are `wanted`; empty where there is none.
[[nodiscard]] std::optional<double> best_us(const trial_result& of,
                                            const std::function<bool(const arm_result&)>& wanted);

/// Two ways of doing the same, at one place of a series.
struct contest {
  std::string where;  ///< "1 %", "16 passes"
  double ours_us = 0;
  double theirs_us = 0;
};

/// "in place is faster at 4 B to 1 MiB, the expert copy at 4 MiB": the series, in its order, as
/// runs that one of the two wins. Empty for an empty series.
[[nodiscard]] std::string who_wins(std::span<const contest> series, const std::string& ours,
                                   const std::string& theirs);

}  // namespace pinhole::scenarios
