// Detection as a kernel. The frame may lie in host memory, so a thread loads 16 bytes at a time,
// all of a tile before it looks at any.
#include "scenarios/detect.hpp"

namespace pinhole::scenarios::detail {

namespace {

__device__ void merge(box& into, const box& part) {
  if (part.pixels > 0) {
    atomicMin(&into.left, part.left);
    atomicMin(&into.top, part.top);
    atomicMax(&into.right, part.right);
    atomicMax(&into.bottom, part.bottom);
    atomicAdd(&into.pixels, part.pixels);
  }
}

/// Pixels of one colour after the other, as far as they are neighbours.
struct run {
  box pixels = no_box();
  unsigned colour = 0;

  __device__ void add(box* sums, unsigned of_colour, unsigned x, unsigned y) {
    if (of_colour != colour) {
      finish(sums);
      colour = of_colour;
    }
    pixels.add(x, y);
  }
  __device__ void finish(box* sums) {
    merge(sums[colour], pixels);
    pixels = no_box();
  }
};

struct loaded_tile {
  uint4 luma[2];
  uint4 background[2];
  uint2 u;
  uint2 v;

  __device__ loaded_tile(const tile_place& at, const std::uint8_t* frame,
                         const std::uint8_t* empty) {
    luma[0] = *reinterpret_cast<const uint4*>(frame + at.luma);
    luma[1] = *reinterpret_cast<const uint4*>(frame + at.luma + frame_width);
    u = *reinterpret_cast<const uint2*>(frame + at.u);
    v = *reinterpret_cast<const uint2*>(frame + at.v);
    background[0] = *reinterpret_cast<const uint4*>(empty + at.luma);
    background[1] = *reinterpret_cast<const uint4*>(empty + at.luma + frame_width);
  }
};

__device__ unsigned byte_of(const uint4& bytes, unsigned i) {
  const unsigned word = i < 8 ? (i < 4 ? bytes.x : bytes.y) : (i < 12 ? bytes.z : bytes.w);
  return word >> i % 4 * 8 & 0xFFU;
}
__device__ unsigned byte_of(const uint2& bytes, unsigned i) {
  return (i < 4 ? bytes.x : bytes.y) >> i % 4 * 8 & 0xFFU;
}

__device__ void look_at(const loaded_tile& tile, const tile_place& at, box* sums) {
  run found;
#pragma unroll
  for (unsigned row = 0; row < 2; ++row) {
#pragma unroll
    for (unsigned i = 0; i < tile_width; ++i) {
      if (differs(static_cast<int>(byte_of(tile.luma[row], i)),
                  static_cast<int>(byte_of(tile.background[row], i)))) {
        const unsigned colour = colour_of(static_cast<int>(byte_of(tile.u, i / 2)),
                                          static_cast<int>(byte_of(tile.v, i / 2)));
        found.add(sums, colour, at.x + i, at.y + row);
      }
    }
  }
  found.finish(sums);
}

/// The block that finishes last hands the sums over and leaves them as they were at first, so that
/// one launch does it all, and nothing but plain writes goes to host memory.
__device__ void finish(detector::sums& all, view<box> found) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    __threadfence();
    is_last = atomicAdd(&all.finished_blocks, 1U) + 1 == gridDim.x;
    __threadfence();
  }
  __syncthreads();
  if (is_last && threadIdx.x < colours) {
    const volatile box& sum = all.of[threadIdx.x];
    box result;
    result.left = sum.left;
    result.top = sum.top;
    result.right = sum.right;
    result.bottom = sum.bottom;
    result.pixels = sum.pixels;
    found[threadIdx.x] = result;
    all.of[threadIdx.x] = no_box();
    if (threadIdx.x == 0) {
      all.finished_blocks = 0;
    }
  }
}

__global__ void __launch_bounds__(detect_threads)
    detect(view<const std::uint8_t> frame, view<const std::uint8_t> background,
           view<detector::sums> sums, view<box> found) {
  __shared__ box of_block[colours];
  if (threadIdx.x < colours) {
    of_block[threadIdx.x] = no_box();
  }
  const unsigned tile = blockIdx.x * detect_threads + threadIdx.x;
  __syncthreads();
  if (tile < tiles) {
    const tile_place at(tile);
    look_at(loaded_tile(at, frame.data(), background.data()), at, of_block);
  }
  __syncthreads();
  if (threadIdx.x < colours) {
    merge(sums[0].of[threadIdx.x], of_block[threadIdx.x]);
    __threadfence();
  }
  __syncthreads();
  finish(sums[0], found);
}

}  // namespace

const void* detect_kernel() {
  return reinterpret_cast<const void*>(&detect);
}

}  // namespace pinhole::scenarios::detail
