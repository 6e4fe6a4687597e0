// What scenarios that touch little of much conclude: how little has to cross the link.
#pragma once

#include <string>
#include <vector>

#include "scenarios/runner.hpp"

namespace pinhole::scenarios {

/// One sentence for each trial with a naive copy and a placement: "in place 400 B cross the link,
/// 1 in 20736 of the 7.91 MiB that are copied otherwise".
[[nodiscard]] std::vector<std::string> what_crosses(const std::vector<trial_result>& measured);

}  // namespace pinhole::scenarios
