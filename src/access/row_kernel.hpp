// What the launcher of row copies and its kernel know of each other.
#pragma once

#include <cstdint>

#include "pinhole/access/row_copy.hpp"

namespace pinhole::detail {

/// Long rows are shared out in pieces, so that no thread works on one alone while others are idle.
inline constexpr std::uint64_t row_piece_bytes = 4096;

struct row_work {
  row_copy what;
  std::uint64_t pieces;  // of each row
  unsigned lanes;        // threads on each piece
  block_report* report;  // one for each block, or null
};

/// The kernel, which takes a row_work; not there in a CPU-only build.
[[nodiscard]] const void* row_kernel() noexcept;

}  // namespace pinhole::detail
