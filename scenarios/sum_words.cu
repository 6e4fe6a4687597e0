// The sum as a kernel, over a view and over a bare pointer.
#include "scenarios/block_sum.cuh"
#include "scenarios/sum_words.hpp"

namespace pinhole::scenarios::detail {

namespace {

__device__ view<const uint4> quads_of(view<const std::uint32_t> words) {
  return {reinterpret_cast<const uint4*>(words.data()), words.size() / 4};
}
__device__ const uint4* quads_of(const std::uint32_t* words) {
  return reinterpret_cast<const uint4*>(words);
}

__device__ std::uint64_t total(const uint4& quad) {
  return std::uint64_t{quad.x} + quad.y + quad.z + quad.w;
}
__device__ std::uint64_t total(std::uint32_t word) {
  return word;
}

/// Elements 0, stride, 2 * stride, ... up to `count` of them, shared by all threads of the grid.
/// The four loads of a turn do not depend on each other, so they are under way together.
template <class Elements>
__device__ std::uint64_t sum_of(Elements elements, std::size_t count, std::size_t stride) {
  const std::size_t threads = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  std::uint64_t sum = 0;
  for (; i + 3 * threads < count; i += 4 * threads) {
    const auto a = elements[i * stride];
    const auto b = elements[(i + threads) * stride];
    const auto c = elements[(i + 2 * threads) * stride];
    const auto d = elements[(i + 3 * threads) * stride];
    sum += total(a) + total(b) + total(c) + total(d);
  }
  for (; i < count; i += threads) {
    sum += total(elements[i * stride]);
  }
  return sum;
}

template <class Words, class Sums>
__global__ void __launch_bounds__(sum_threads)
    sum_words(Words words, word_pattern pattern, Sums sums) {
  std::uint64_t sum = 0;
  if (pattern.stride == 1) {
    sum = sum_of(quads_of(words), pattern.words / 4, 1);
    const std::size_t rest = pattern.words / 4 * 4 + threadIdx.x;
    if (blockIdx.x == 0 && rest < pattern.words) {
      sum += words[rest];
    }
  } else {
    sum = sum_of(words, pattern.reads(), pattern.stride);
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = sum;
  }
}

}  // namespace

const void* sum_kernel() {
  return reinterpret_cast<const void*>(&sum_words<view<const std::uint32_t>, view<std::uint64_t>>);
}
const void* sum_kernel_bare() {
  return reinterpret_cast<const void*>(&sum_words<const std::uint32_t*, std::uint64_t*>);
}

}  // namespace pinhole::scenarios::detail
