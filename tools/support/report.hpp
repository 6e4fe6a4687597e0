// Results as JSON: where they come from, and every sample.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pinhole/platform/device.hpp"
#include "scenarios/runner.hpp"

namespace pinhole::tool {

/// Keeps the order in which members were added, so that reports read from the top.
using json = nlohmann::ordered_json;

/// What makes a figure traceable: version, commit, date (UTC) and command line. The program's path
/// is left out; its name is kept.
[[nodiscard]] json provenance(const std::vector<std::string>& command_line);
/// The host: CPU, kernel, memory. No host name.
[[nodiscard]] json machine_json();
/// The device, its driver and its link. Reads the capabilities.
[[nodiscard]] json device_json(const device& where);
[[nodiscard]] json trial_json(const scenarios::trial_result& from);

/// Indented text that ends with a newline; arrays of numbers and of text stand on one line. Invalid
/// UTF-8 is replaced.
[[nodiscard]] std::string pretty(const json& value);

}  // namespace pinhole::tool
