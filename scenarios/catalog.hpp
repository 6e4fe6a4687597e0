// The scenarios that there are. A new one is declared here and listed in scenario.cpp.
#pragma once

#include "scenarios/scenario.hpp"

namespace pinhole::scenarios {

[[nodiscard]] const scenario& transfer();
[[nodiscard]] const scenario& flag();
[[nodiscard]] const scenario& text();
[[nodiscard]] const scenario& roundtrip();
[[nodiscard]] const scenario& table();
[[nodiscard]] const scenario& pixels();
[[nodiscard]] const scenario& matrix();

}  // namespace pinhole::scenarios
