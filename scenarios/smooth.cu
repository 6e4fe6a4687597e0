// Smoothing as a kernel. The image may lie in host memory, so each pixel is loaded by one thread
// and its neighbours get it through registers and shared memory.
#include "scenarios/smooth.hpp"

namespace pinhole::scenarios::detail {

namespace {

constexpr unsigned rows_at_once = 8;  // loads of a thread that are under way together
static_assert(rows_of_block % rows_at_once == 0);

/// Sums over three rows, with one column more on each side.
using sums_of_columns = pixel[rows_at_once][image_width + 2];

/// A block is as wide as the image; each thread goes down a column of it.
__global__ void __launch_bounds__(image_width) smooth_rows(image_view from, image_view to) {
  __shared__ sums_of_columns sums;
  const unsigned x = threadIdx.x;
  const unsigned rows = static_cast<unsigned>(from.rows());
  const unsigned first = blockIdx.x * rows_of_block;
  const unsigned last = min(rows, first + rows_of_block);
  const auto load = [&](unsigned row) {
    return from[static_cast<std::size_t>(min(row, rows - 1)) * image_width + x];
  };
  pixel above = load(first == 0 ? 0 : first - 1);
  pixel here = load(first);
  for (unsigned row = first; row < last; row += rows_at_once) {
    pixel below[rows_at_once];
#pragma unroll
    for (unsigned i = 0; i < rows_at_once; ++i) {
      below[i] = load(row + i + 1);
    }
#pragma unroll
    for (unsigned i = 0; i < rows_at_once; ++i) {
      const pixel sum = above + 2 * here + below[i];
      sums[i][x + 1] = sum;
      if (x == 0) {
        sums[i][0] = sum;
      } else if (x == image_width - 1) {
        sums[i][image_width + 1] = sum;
      }
      above = here;
      here = below[i];
    }
    __syncthreads();
#pragma unroll
    for (unsigned i = 0; i < rows_at_once; ++i) {
      if (row + i < last) {
        to[static_cast<std::size_t>(row + i) * image_width + x] =
            (sums[i][x] + 2 * sums[i][x + 1] + sums[i][x + 2]) / 16;
      }
    }
    __syncthreads();
  }
}

}  // namespace

const void* smooth_kernel() {
  return reinterpret_cast<const void*>(&smooth_rows);
}

}  // namespace pinhole::scenarios::detail
