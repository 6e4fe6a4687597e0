// What the arms of several scenarios need: which placements to show, and how the naive copy queues.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "pinhole/platform/stream.hpp"
#include "scenarios/scenario.hpp"

namespace pinhole::scenarios {

/// How long an arm waits for the device before it gives up.
inline constexpr std::chrono::seconds patience{120};

/// The placements that leave the host's data in host memory and that the user wants. Staged is not
/// among them: it is the expert copy, and the opponents are always shown. Nor is memory of the
/// device's: there the host's data would have to go first, which is other work. Throws
/// fault::not_supported when the device has no mapped memory.
[[nodiscard]] std::vector<placement> placements_in_place(const settings& asked);

/// All of the user's in-place placements that the device has, its own memory included: for
/// scenarios that time what the host reads and writes there. Throws fault::not_supported when the
/// user names one that the device does not have.
[[nodiscard]] std::vector<placement> placements_anywhere(const settings& asked);

/// How many of them pin host memory, and so count against the pin budget.
[[nodiscard]] unsigned pinned_among(const std::vector<placement>& placements);

/// Where naive arms queue their kernels: CUDA's legacy default stream, which sees what
/// send_to_device() sent, and for which the blocking copy that follows waits by itself, as in most
/// programs. The CPU device has no such stream, so there
/// before_copy() waits.
class default_stream {
 public:
  explicit default_stream(const device& where);

  operator stream_ref() const;  // NOLINT(google-explicit-constructor)
  void before_copy() const;

 private:
  std::optional<stream> own_;
  std::optional<stream_ref> legacy_;
};

}  // namespace pinhole::scenarios
