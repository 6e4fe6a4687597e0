// What the topic `signal` times, behind plain functions, so that JSON never meets nvcc.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "pinhole/platform/device.hpp"

namespace pinhole::measure {

/// Times in microseconds, one for each round; rates in elements per second, one for each run.
struct signal_samples {
  std::vector<double> mailbox_12;          ///< 12 bytes each way, messages alone ordered
  std::vector<double> mailbox_12_ordered;  ///< the same, with all memory ordered
  std::vector<double> mailbox_4k;          ///< 4 KiB asked, read by a block, 12 bytes answered
  std::vector<double> launch;              ///< an empty kernel and a synchronise
  std::vector<double> pcie_read;           ///< one dependent read of mapped memory by a kernel
  std::vector<double> ring_down;
  std::vector<double> ring_up;
  std::vector<double> idle_cost;  ///< share by which a resident slows a bandwidth-bound kernel
  std::uint64_t rounds_checked = 0;
  std::uint64_t elements_checked = 0;
  std::uint64_t wrong = 0;  ///< rounds and elements that were not what they should have been
};

/// Every kernel here ends by itself when something goes wrong. Pre: a GPU.
[[nodiscard]] signal_samples measure_signal_work(
    const device& where, bool full, const std::function<void(const char*, double)>& tell);

}  // namespace pinhole::measure
