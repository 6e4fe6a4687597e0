// Parts a list of indices by windows of the table. Each block has one piece of the list.
#include "access/order_kernels.hpp"

#include "access/index_at.cuh"

namespace pinhole::detail {

namespace {

/// Indices out of range belong to some window as well; the copy leaves them out.
__device__ unsigned window_of(const order_work& work, std::uint64_t index) {
  return static_cast<unsigned>(min(index / work.rows_per_window, work.windows - 1));
}

struct piece {
  std::uint64_t first;
  std::uint64_t last;
};
__device__ piece piece_of_block(const order_work& work) {
  const std::uint64_t share = (work.what.count + gridDim.x - 1) / gridDim.x;
  const std::uint64_t first = min(work.what.count, share * blockIdx.x);
  return {first, min(work.what.count, first + share)};
}

__global__ void count_windows(order_work work) {
  __shared__ unsigned counts[most_windows];
  counts[threadIdx.x] = 0;
  __syncthreads();
  const piece mine = piece_of_block(work);
  for (std::uint64_t i = mine.first + threadIdx.x; i < mine.last; i += blockDim.x) {
    atomicAdd(&counts[window_of(work, index_at(work.what, i))], 1U);
  }
  __syncthreads();
  if (threadIdx.x < work.windows) {
    work.counts[threadIdx.x * gridDim.x + blockIdx.x] = counts[threadIdx.x];
  }
}

/// Turns each count into the number of those before it: of the windows before, and of the blocks
/// before in the same window. One block.
__global__ void add_up_counts(order_work work) {
  __shared__ unsigned of_window[most_windows];
  std::uint32_t* const mine = work.counts + threadIdx.x * work.blocks;
  unsigned sum = 0;
  for (unsigned block = 0; threadIdx.x < work.windows && block < work.blocks; ++block) {
    sum += mine[block];
  }
  of_window[threadIdx.x] = sum;
  __syncthreads();
  unsigned before = 0;
  for (unsigned window = 0; window < threadIdx.x; ++window) {
    before += of_window[window];
  }
  for (unsigned block = 0; threadIdx.x < work.windows && block < work.blocks; ++block) {
    const unsigned here = mine[block];
    mine[block] = before;
    before += here;
  }
}

__global__ void place_indices(order_work work) {
  __shared__ unsigned next[most_windows];
  if (threadIdx.x < work.windows) {
    next[threadIdx.x] = work.counts[threadIdx.x * gridDim.x + blockIdx.x];
  }
  __syncthreads();
  const piece mine = piece_of_block(work);
  for (std::uint64_t i = mine.first + threadIdx.x; i < mine.last; i += blockDim.x) {
    const std::uint64_t index = index_at(work.what, i);
    const unsigned place = atomicAdd(&next[window_of(work, index)], 1U);
    work.ordered[place] = index;
    work.positions[place] = static_cast<std::uint32_t>(i);
  }
}

}  // namespace

const void* count_kernel() noexcept {
  return reinterpret_cast<const void*>(&count_windows);
}
const void* add_up_kernel() noexcept {
  return reinterpret_cast<const void*>(&add_up_counts);
}
const void* place_kernel() noexcept {
  return reinterpret_cast<const void*>(&place_indices);
}

}  // namespace pinhole::detail
