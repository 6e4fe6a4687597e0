// The kernel of an access pattern: a grid-stride loop over pieces of 16 or 4 bytes, so that the
// threads of a warp touch neighbours and all warps have accesses under way.
#include "advice/touch.hpp"

namespace pinhole::advice::detail {

namespace {

__device__ std::uint64_t total(const uint4& quad) {
  return std::uint64_t{quad.x} + quad.y + quad.z + quad.w;
}
__device__ std::uint64_t total(unsigned word) {
  return word;
}

__device__ void write(uint4& to, std::uint64_t k, std::uint32_t tag) {
  to = uint4{content_of(k, tag), content_of(k + 1, tag), content_of(k + 2, tag),
             content_of(k + 3, tag)};
}
__device__ void write(unsigned& to, std::uint64_t k, std::uint32_t tag) {
  to = content_of(k, tag);
}

/// The sum over the block, valid in thread 0.
__device__ std::uint64_t block_sum(std::uint64_t mine) {
  __shared__ unsigned long long sum;
  if (threadIdx.x == 0) {
    sum = 0;
  }
  __syncthreads();
  for (unsigned distance = 16; distance > 0; distance /= 2) {
    mine += __shfl_down_sync(0xFFFFFFFFU, mine, distance);
  }
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&sum, static_cast<unsigned long long>(mine));
  }
  __syncthreads();
  return sum;
}

template <class Piece>
__global__ void __launch_bounds__(touch_threads)
    touch(view<std::uint32_t> words, touch_plan plan, view<std::uint64_t> sums) {
  constexpr unsigned words_of_piece = sizeof(Piece) / sizeof(std::uint32_t);
  const std::uint32_t pieces_of_run = plan.run_words / words_of_piece;
  // At most 2^31 words, so 32 bits count them; dividing those is fast.
  const std::uint32_t pieces = plan.runs.size() * pieces_of_run;
  const std::uint32_t threads = gridDim.x * blockDim.x;
  std::uint64_t sum = 0;
  for (std::uint32_t pass = 0; pass < plan.passes; ++pass) {
    const bool writes = plan.writes && pass + 1 == plan.passes;
    for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < pieces; i += threads) {
      const std::uint32_t run = plan.runs.size() == 1 ? 0 : i / pieces_of_run;
      const std::uint32_t k = (i - run * pieces_of_run) * words_of_piece;
      Piece& at = *reinterpret_cast<Piece*>(&words[plan.start_of(run) + k]);
      if (plan.reads) {
        sum += total(at);
      }
      if (writes) {
        write(at, k, plan.tag);
      }
    }
  }
  if (plan.reads) {
    sum = block_sum(sum);
    if (threadIdx.x == 0) {
      sums[blockIdx.x] = sum;
    }
  }
}

}  // namespace

const void* touch_kernel(bool in_pieces_of_16_bytes) {
  return in_pieces_of_16_bytes ? reinterpret_cast<const void*>(&touch<uint4>)
                               : reinterpret_cast<const void*>(&touch<unsigned>);
}

}  // namespace pinhole::advice::detail
