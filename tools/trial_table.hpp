// A trial's results as text.
#pragma once

#include <string>

#include "scenarios/runner.hpp"

namespace pinhole::tool {

/// A heading, one row an arm, and the notes, within 100 columns. The ratios' columns name their
/// opponents.
[[nodiscard]] std::string trial_text(const scenarios::trial_result& from, bool colours);

}  // namespace pinhole::tool
