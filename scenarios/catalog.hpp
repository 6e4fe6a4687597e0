// The scenarios that there are. A new one is declared here and listed in scenario.cpp.
#pragma once

#include "scenarios/scenario.hpp"

namespace pinhole::scenarios {

[[nodiscard]] const scenario& transfer();
[[nodiscard]] const scenario& flag();
[[nodiscard]] const scenario& text();

}  // namespace pinhole::scenarios
