// The product as a kernel. A block goes over rows with its part of x in registers, so that nothing
// but weights is loaded; all loads of a row are under way together.
#include "scenarios/multiply.hpp"

namespace pinhole::scenarios::detail {

namespace {

constexpr unsigned all_lanes = 0xFFFFFFFFU;
constexpr unsigned lanes = 32;
constexpr unsigned warps = multiply_threads / lanes;
constexpr unsigned quads_of_row = matrix_columns / 4;
constexpr unsigned quads_of_thread = quads_of_row / multiply_threads;
static_assert(quads_of_thread * multiply_threads * 4 == matrix_columns);

__device__ uint4 repeated_quad(view<const weight> x, unsigned quad) {
  const std::size_t first = quad * 4;
  return {x[first % x.size()], x[(first + 1) % x.size()], x[(first + 2) % x.size()],
          x[(first + 3) % x.size()]};
}

__device__ weight dot(const uint4& a, const uint4& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

__global__ void __launch_bounds__(multiply_threads)
    multiply_rows(view<const weight> weights, view<const weight> x, view<weight> y) {
  __shared__ weight of_warp[2][warps];
  const auto* const quads = reinterpret_cast<const uint4*>(weights.data());
  uint4 mine[quads_of_thread];
#pragma unroll
  for (unsigned i = 0; i < quads_of_thread; ++i) {
    mine[i] = repeated_quad(x, i * multiply_threads + threadIdx.x);
  }
  // Sums of warps lie in one half of of_warp while the first thread still adds up the other one.
  unsigned half = 0;
  for (std::size_t row = blockIdx.x; row < y.size(); row += gridDim.x, half ^= 1U) {
    uint4 loaded[quads_of_thread];
#pragma unroll
    for (unsigned i = 0; i < quads_of_thread; ++i) {
      loaded[i] = quads[row * quads_of_row + i * multiply_threads + threadIdx.x];
    }
    weight sum = 0;
#pragma unroll
    for (unsigned i = 0; i < quads_of_thread; ++i) {
      sum += dot(loaded[i], mine[i]);
    }
    sum = __reduce_add_sync(all_lanes, sum);
    if (threadIdx.x % lanes == 0) {
      of_warp[half][threadIdx.x / lanes] = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      weight total = 0;
      for (const weight one : of_warp[half]) {
        total += one;
      }
      y[row] = total;
    }
  }
}

}  // namespace

const void* multiply_kernel() {
  return reinterpret_cast<const void*>(&multiply_rows);
}

}  // namespace pinhole::scenarios::detail
