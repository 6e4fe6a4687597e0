// Adds up one number of each thread of a block.
#pragma once

#include <cstdint>

namespace pinhole::scenarios::detail {

/// The sum over the block, valid in thread 0. Call it once in a kernel, from all threads of a block
/// of whole warps.
__device__ inline std::uint64_t block_sum(std::uint64_t mine) {
  constexpr unsigned all_lanes = 0xFFFFFFFFU;
  constexpr unsigned most_warps = 32;
  __shared__ std::uint64_t of_warp[most_warps];
  const unsigned lane = threadIdx.x % warpSize;
  const unsigned warp = threadIdx.x / warpSize;
  const auto warp_sum = [](std::uint64_t value) {
    for (unsigned distance = 16; distance > 0; distance /= 2) {
      value += __shfl_down_sync(all_lanes, value, distance);
    }
    return value;
  };
  mine = warp_sum(mine);
  if (lane == 0) {
    of_warp[warp] = mine;
  }
  __syncthreads();
  if (warp == 0) {
    mine = warp_sum(lane < blockDim.x / warpSize ? of_warp[lane] : 0);
  }
  return mine;
}

}  // namespace pinhole::scenarios::detail
