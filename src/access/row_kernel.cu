// Copies listed rows between a table and a packed list.
#include "access/row_kernel.hpp"

#include "access/index_at.cuh"
#include "pinhole/kernel/rows.cuh"

namespace pinhole::detail {

namespace {

/// Piece `piece` of a row, cut at multiples of the piece's size from the row's first line on.
__device__ void copy_piece(const row_work& work, std::uint64_t index, std::uint64_t position,
                           std::uint64_t piece, kernel::lanes me) {
  const auto& what = work.what;
  auto* far = what.table + index * what.pitch;
  auto* near = what.packed + position * what.packed_pitch;
  std::uint64_t begin = 0;
  std::uint64_t end = what.row_bytes;
  if (work.pieces > 1) {
    const std::uint64_t lead = reinterpret_cast<std::uintptr_t>(far) % kernel::line_bytes;
    begin = piece == 0 ? 0 : piece * row_piece_bytes - lead;
    end = min((piece + 1) * row_piece_bytes - lead, what.row_bytes);
  }
  if (begin < end) {
    kernel::copy_row(
        far + begin, near + begin, end - begin, me,
        what.to_table ? kernel::copy_direction::to_far : kernel::copy_direction::from_far);
  }
}

__global__ void copy_rows(row_work work) {
  __shared__ unsigned long long skipped;
  __shared__ unsigned long long first;
  if (threadIdx.x == 0) {
    skipped = 0;
    first = ~0ULL;
  }
  __syncthreads();
  const kernel::lanes me{threadIdx.x % work.lanes, work.lanes};
  const std::uint64_t groups = std::uint64_t{gridDim.x} * blockDim.x / work.lanes;
  const std::uint64_t items = work.what.count * work.pieces;
  std::uint64_t item = (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / work.lanes;
  for (; item < items; item += groups) {
    const std::uint64_t entry = work.pieces == 1 ? item : item / work.pieces;
    const std::uint64_t piece = item - entry * work.pieces;
    const bool in_order = work.what.ordered == nullptr;
    const std::uint64_t position = in_order ? entry : work.what.positions[entry];
    const std::uint64_t index = in_order ? index_at(work.what, position) : work.what.ordered[entry];
    if (index < work.what.rows) {
      copy_piece(work, index, position, piece, me);
    } else if (me.rank == 0 && piece == 0) {
      atomicAdd(&skipped, 1ULL);
      atomicMin(&first, position);
    }
  }
  __syncthreads();
  if (work.report != nullptr && threadIdx.x == 0) {
    work.report[blockIdx.x] = {skipped, first};
  }
}

}  // namespace

const void* row_kernel() noexcept {
  return reinterpret_cast<const void*>(&copy_rows);
}

}  // namespace pinhole::detail
