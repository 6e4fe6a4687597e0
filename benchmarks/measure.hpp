// A topic's file of results.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/topics.hpp"

namespace pinhole::measure {

/// The machine's name in results/: the last word of the GPU's name, in lower case ("h200"), or
/// "cpu".
[[nodiscard]] std::string machine_name(const device& where);

/// What results/<machine>/<topic>.json holds: where the figures come from, the figures, the
/// samples, and the topic's details.
[[nodiscard]] json results_json(const topic& what, const topic_result& measured,
                                const topic_request& asked,
                                const std::vector<std::string>& command_line);

}  // namespace pinhole::measure
