// The search as a kernel.
#include "scenarios/count_pattern.hpp"

#include "scenarios/block_sum.cuh"

namespace pinhole::scenarios::detail {

namespace {

/// Each thread reads one quad and gets the eight bytes behind it from its neighbour, so that every
/// byte crosses the link once; only the last of a warp reads them itself.
__global__ void __launch_bounds__(search_threads)
    count_pattern_kernel(pattern_search what, view<std::uint64_t> counts) {
  constexpr unsigned last_lane = 31;
  const unsigned lane = threadIdx.x % 32;
  const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  std::size_t of_warp = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x - lane;
  std::uint64_t count = 0;
  for (; of_warp < what.begins; of_warp += threads) {
    const std::size_t i = of_warp + lane;
    const byte_quad here = i < what.quads.size() ? what.quads[i] : byte_quad{0, 0};
    std::uint64_t next = __shfl_down_sync(~0U, here.low, 1);
    if (lane == last_lane) {
      next = i + 1 < what.quads.size() ? what.quads[i + 1].low : 0;
    }
    if (i < what.begins) {
      count += matches_in(here, next, what.pattern);
    }
  }
  count = block_sum(count);
  if (threadIdx.x == 0) {
    counts[blockIdx.x] = count;
  }
}

}  // namespace

const void* search_kernel() {
  return reinterpret_cast<const void*>(&count_pattern_kernel);
}

}  // namespace pinhole::scenarios::detail
