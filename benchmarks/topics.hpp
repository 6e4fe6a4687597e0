// What can be measured. Each topic is one file of results and one source file here.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benchmarks/figures.hpp"
#include "pinhole/platform/device.hpp"

namespace pinhole::measure {

struct topic_request {
  device where;
  bool full = true;  ///< the sizes that the goals speak of
  unsigned most_repeats = 200;
  /// Called between runs with what is measured and the share of the topic that is done.
  std::function<void(std::string_view what, double done)> progress;
};

struct topic_result {
  json figures = json::array();
  sample_sets samples;
  json details = json::object();     ///< what else belongs into the file, member by member
  std::vector<std::string> missing;  ///< figures that could not be computed, and why
  /// Other files for the folder of the results: names, and what they hold.
  std::vector<std::pair<std::string, std::string>> files;
};

struct topic {
  std::string_view name;
  std::string_view summary;
  topic_result (*measure)(const topic_request& asked);
};
[[nodiscard]] const std::vector<topic>& topics();

/// What calibration takes, and whether the advice that follows from it is right.
[[nodiscard]] topic_result measure_advice(const topic_request& asked);
/// The scenarios of `pinhole compare`, and the figures that compare their arms.
[[nodiscard]] topic_result measure_compare(const topic_request& asked);
/// Pinning, managed tables, and sparse access to memory across the link.
[[nodiscard]] topic_result measure_memory(const topic_request& asked);
/// Mailboxes, rings and flags, between the host and kernels that stay.
[[nodiscard]] topic_result measure_signal(const topic_request& asked);
/// The CPU's accesses to device memory.
[[nodiscard]] topic_result measure_vram(const topic_request& asked);

}  // namespace pinhole::measure
