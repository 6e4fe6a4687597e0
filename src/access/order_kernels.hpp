// What parts a list of indices by windows: one launch counts, one adds up, one places.
#pragma once

#include <cstdint>

#include "pinhole/access/row_copy.hpp"

namespace pinhole::detail {

inline constexpr unsigned order_threads = 256;
inline constexpr unsigned most_windows = order_threads;  // each thread adds up for one
inline constexpr unsigned most_order_blocks = 64;

struct order_work {
  row_copy what;
  std::uint64_t rows_per_window;
  std::uint64_t windows;
  std::uint32_t* counts;   // of window w and block b at [w * blocks + b]
  std::uint64_t* ordered;  // as row_copy has them
  std::uint32_t* positions;
  unsigned blocks;  // that count and place
};

/// The kernels, which take an order_work; not there in a CPU-only build.
[[nodiscard]] const void* count_kernel() noexcept;
[[nodiscard]] const void* add_up_kernel() noexcept;
[[nodiscard]] const void* place_kernel() noexcept;

}  // namespace pinhole::detail
