// `pinhole compare --regret`: is the advice right?
#pragma once

#include "scenarios/regret.hpp"
#include "tools/command.hpp"
#include "tools/compare_options.hpp"
#include "tools/support/report.hpp"

namespace pinhole::tool {

/// Measures, prints, writes the report; returns the exit code.
int compare_regret(const compare_options& given, const context& shared);

/// The choices, how well was predicted, and every pattern with its samples.
[[nodiscard]] json regret_json(const scenarios::regret_result& of);

}  // namespace pinhole::tool
