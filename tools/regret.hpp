// `pinhole compare --regret`: is the advice right?
#pragma once

#include "tools/command.hpp"
#include "tools/compare_options.hpp"

namespace pinhole::tool {

/// Measures, prints, writes the report; returns the exit code.
int compare_regret(const compare_options& given, const context& shared);

}  // namespace pinhole::tool
