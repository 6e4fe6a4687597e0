// Copies that keep the link busy while something else is timed.
#pragma once

#include <cstddef>

#include "pinhole/memory/staged_buffer.hpp"
#include "pinhole/platform/stream.hpp"

namespace pinhole::advice {

/// What a pattern's `busy` link carries: copies of 16 MiB in both directions, one after the other,
/// on streams of their own. Calibration and the trials that judge the advice mean the same by it.
/// On the CPU device, where one more thread is in the way enough, they are small and go one way.
class other_traffic {
 public:
  explicit other_traffic(const device& where);

  /// Queues copies that last about `us` at that rate, after those that are still under way.
  void begin(double us, double gb_per_s);
  void end();

 private:
  std::size_t piece_;
  bool goes_both_ways_;
  stream up_;
  stream down_;
  staged_buffer<std::byte> to_device_;
  staged_buffer<std::byte> to_host_;
};

}  // namespace pinhole::advice
