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
[[nodiscard]] const scenario& alternate();
[[nodiscard]] const scenario& compute();
[[nodiscard]] const scenario& video();
[[nodiscard]] const scenario& pinning();
[[nodiscard]] const scenario& coherence();
[[nodiscard]] const scenario& lookup();
[[nodiscard]] const scenario& scan();

}  // namespace pinhole::scenarios
