// The pinhole program as a function, so that tests can run it with scenarios of their own.
#pragma once

#include <string>
#include <vector>

#include "scenarios/scenario.hpp"

namespace pinhole::tool {

/// Parses, acts, reports errors as one line on standard error; returns the exit code. Never throws.
[[nodiscard]] int run(const std::vector<std::string>& command_line,
                      const std::vector<const scenarios::scenario*>& scenarios) noexcept;

}  // namespace pinhole::tool
