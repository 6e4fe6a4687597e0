// What the measurements of the topic `vram` share.
#pragma once

#include <chrono>
#include <cstddef>
#include <vector>

#include "platform/fences.hpp"

namespace pinhole::measure {

using samples = std::vector<double>;
using bytes = std::vector<std::byte>;

/// Microseconds of one call of `work`, from one sample of `batch` calls.
template <class Work>
double microseconds(std::size_t batch, Work&& work) {
  using clock = std::chrono::steady_clock;
  const auto start = clock::now();
  for (std::size_t i = 0; i < batch; ++i) {
    work(i);
  }
  const std::chrono::duration<double, std::micro> took = clock::now() - start;
  return took.count() / static_cast<double>(batch);
}

inline bytes numbered(std::size_t count) {
  bytes made(count);
  for (std::size_t i = 0; i < count; ++i) {
    made[i] = static_cast<std::byte>(i * 31 + (i >> 8U) * 7 + 1);
  }
  return made;
}

/// Out of the caches, so that the next reader fetches it from memory.
inline void evict(const bytes& what) {
  for (std::size_t i = 0; i < what.size(); i += 64) {
    platform::evict_line(what.data() + i);
  }
  platform::order_all();
}

}  // namespace pinhole::measure
