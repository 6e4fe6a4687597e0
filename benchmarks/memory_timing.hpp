// How the loops of the topic `memory` take time.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/memory_work.hpp"

namespace pinhole::measure {

inline constexpr std::chrono::seconds patience{60};

inline void must(cudaError_t result) {
  if (result != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    throw std::runtime_error(cudaGetErrorName(result));
  }
}

inline void require_right(bool right, const std::string& what) {
  if (!right) {
    throw std::runtime_error(what + " gave a wrong result");
  }
}

template <class Function>
double time_us_of(const Function& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start)
      .count();
}

/// One way to do a piece of work. What run() does is complete when it returns.
struct timed_arm {
  std::string name;
  std::function<void()> run;
  double per_us = 0;  ///< 0: the sample is the time in us; else operations / us * 1e6, a rate
  std::optional<curve_point> on_curve = {};
};

/// Runs the arms in turn, `rounds` times, after one round that does not count.
inline void take_turns(unsigned rounds, const std::vector<timed_arm>& arms, memory_samples& into) {
  for (unsigned round = 0; round <= rounds; ++round) {
    for (const auto& one : arms) {
      const double us = time_us_of(one.run);
      if (round > 0) {
        into.by_name[one.name].push_back(one.per_us == 0 ? us : one.per_us / us * 1e6);
      }
    }
  }
  for (const auto& one : arms) {
    if (one.on_curve) {
      into.curves.push_back(*one.on_curve);
    }
  }
}

}  // namespace pinhole::measure
