// Kernels for the topic `memory`, and nothing else: nvcc is slow with anything more.
#include "benchmarks/memory_kernels.hpp"

#include <cuda_runtime.h>

#include <stdexcept>

#include "pinhole/kernel/stream_through.cuh"

namespace pinhole::measure {

namespace {

constexpr unsigned threads = 256;

__device__ std::uint64_t first_thread() {
  return std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ std::uint64_t all_threads() {
  return std::uint64_t{gridDim.x} * blockDim.x;
}

__global__ void read_lines_kernel(const uint4* table, random_accesses what, unsigned* sum) {
  unsigned mine = 0;
  for (std::uint64_t i = first_thread(); i < 8 * what.count; i += all_threads()) {
    const auto line = scatter_bits(what.seed + i / 8) & (what.units - 1);
    const uint4 part = table[line * 8 + i % 8];
    mine ^= part.x ^ part.y ^ part.z ^ part.w;
  }
  mine = __reduce_xor_sync(~0U, mine);
  if (threadIdx.x % 32 == 0) {
    atomicXor(sum, mine);
  }
}

__global__ void write_words_kernel(std::uint32_t* table, random_accesses what) {
  for (std::uint64_t i = first_thread(); i < what.count; i += all_threads()) {
    table[scatter_bits(what.seed + i) & (what.units - 1)] = static_cast<std::uint32_t>(i);
  }
}

__global__ void plain_rows_kernel(plain_rows what) {
  for (std::uint64_t row = first_thread() / 32; row < what.count; row += all_threads() / 32) {
    for (std::uint64_t i = threadIdx.x % 32; i < what.words; i += 32) {
      what.out[row * what.words + i] = what.table[what.which[row] * what.words + i];
    }
  }
}

__global__ void write_in_order_kernel(view<uint4> to, unsigned value) {
  for (std::uint64_t i = first_thread(); i < to.size(); i += all_threads()) {
    to[i] = make_uint4(value, value, value, value);
  }
}

/// Consumes what it is given without writing it down.
struct look_at {
  unsigned* never;
  PINHOLE_HD void operator()(std::size_t i, const uint4& value) const {
    if (value.x == 0xDEADBEEFU && value.y == 0x12345678U && value.z == static_cast<unsigned>(i)) {
      *never = value.w;
    }
  }
};

void require_launched() {
  if (const auto result = cudaGetLastError(); result != cudaSuccess) {
    throw std::runtime_error(cudaGetErrorName(result));
  }
}

}  // namespace

unsigned all_blocks(const device& where) {
  return 2 * static_cast<unsigned>(where.capabilities().multiprocessors);
}

void read_lines(const stream& work, const void* table, random_accesses what, unsigned* sum) {
  read_lines_kernel<<<4 * all_blocks(work.where()), threads, 0, work.native()>>>(
      static_cast<const uint4*>(table), what, sum);
  require_launched();
}

void write_words(const stream& work, void* table, random_accesses what) {
  write_words_kernel<<<4 * all_blocks(work.where()), threads, 0, work.native()>>>(
      static_cast<std::uint32_t*>(table), what);
  require_launched();
}

void copy_plain_rows(const stream& work, const plain_rows& what) {
  plain_rows_kernel<<<4 * all_blocks(work.where()), threads, 0, work.native()>>>(what);
  require_launched();
}

void look_in_place(const stream& work, view<const uint4> range, unsigned* never, unsigned blocks) {
  stream_in_place(work, range, 0, look_at{never}, blocks);
}

void look_through(const stream& work, const mapped_buffer<uint4>& range, unsigned* never,
                  chunk_engine& engine) {
  stream_through(work, range, look_at{never}, {.engine = &engine});
}

void write_in_order(const stream& work, view<uint4> to, unsigned value, unsigned blocks) {
  write_in_order_kernel<<<blocks, 1024, 0, work.native()>>>(to, value);
  require_launched();
}

}  // namespace pinhole::measure
