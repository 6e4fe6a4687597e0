// What is said to the one kernel behind gather() and its kin. Light, since kernels include it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pinhole::detail {

/// A launch of it, in bytes.
struct row_copy {
  std::byte* table;  // rows at table + index * pitch
  std::uint64_t rows;
  std::uint64_t pitch;
  std::uint64_t row_bytes;
  const std::byte* indices;  // of 4 or 8 bytes, index_pitch apart
  std::uint64_t index_pitch;
  std::uint64_t count;
  std::byte* packed;  // row i of the list at packed + i * packed_pitch
  std::uint64_t packed_pitch;
  bool wide;      // indices have 8 bytes
  bool to_table;  // scatter, else gather
  // The list in another order, where there is one: indices, and their positions in the list.
  const std::uint64_t* ordered = nullptr;
  const std::uint32_t* positions = nullptr;
};

/// What one block left out; each block has one of its own, since the link has no atomics.
struct block_report {
  std::uint64_t skipped = 0;
  std::uint64_t first = ~std::uint64_t{0};  // the smallest position in the list
};

}  // namespace pinhole::detail
