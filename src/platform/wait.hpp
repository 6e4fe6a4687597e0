// How a host thread waits: it spins, then yields, then sleeps.
#pragma once

#include <chrono>
#include <thread>

#include "pinhole/core/tuning.hpp"

namespace pinhole::platform {

/// Call pause() between two queries; it gives up more of the core the longer the wait lasts.
class backoff {
 public:
  explicit backoff(const tuning& numbers) noexcept
      : start_(clock::now()), spin_(numbers.spin), yield_(numbers.yield) {}

  void pause() {
    const auto waited = clock::now() - start_;
    if (waited < spin_) {
      return;
    }
    if (waited < yield_) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }

 private:
  using clock = std::chrono::steady_clock;
  clock::time_point start_;
  clock::duration spin_;
  clock::duration yield_;
};

}  // namespace pinhole::platform
