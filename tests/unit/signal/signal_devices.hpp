// On which devices, and how often, the tests of signals do what they do.
#pragma once

#include <chrono>
#include <vector>

#include "pinhole/platform/device.hpp"

namespace pinhole::test {

/// The CPU device, and the first GPU where there is one.
inline std::vector<device> signal_devices() {
  std::vector<device> all{device::cpu()};
  if (device::first().kind() != device_kind::cpu) {
    all.push_back(device::first());
  }
  return all;
}

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr unsigned many_rounds = 30'000;
#else
inline constexpr unsigned many_rounds = 1'000'000;
#endif

/// Longer than any step takes on a machine that does other things besides.
inline constexpr std::chrono::seconds long_enough{60};

}  // namespace pinhole::test
