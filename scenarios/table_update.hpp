// The work of `table`: a few rows of a large table are looked up and changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "pinhole/core/view.hpp"
#include "pinhole/platform/stream.hpp"
#include "scenarios/drawing.hpp"

namespace pinhole::scenarios {

inline constexpr std::size_t words_per_row = 16;
/// Rows that one call changes: as many as fit, as positions, into one row.
inline constexpr std::size_t rows_per_call = words_per_row;

struct alignas(16) table_row {
  std::uint32_t words[words_per_row] = {};

  friend bool operator==(const table_row& a, const table_row& b) noexcept = default;
};

/// Where a call leaves word of what it did.
struct update_report {
  table_row* positions = nullptr;  ///< of the changed rows, one a word
  view<table_row> rows;            ///< the changed rows in that order; empty: not wanted
};

/// Queues the kernel: draws rows_per_call positions from `key`, which the host does not know until
/// it reads the report, and changes the rows there. Its table has at least rows_per_call rows and
/// less than 2^32.
void update_rows(const stream_ref& work, view<table_row> table, std::uint64_t key,
                 const update_report& report);

/// The position of each row that a call with `key` changes, in a table of `rows` rows.
[[nodiscard]] PINHOLE_HD constexpr drawing rows_of_call(std::uint64_t key, std::size_t rows) {
  return {key, rows, rows_per_call};
}

/// A row as it is before any call.
[[nodiscard]] table_row first_row(std::size_t position) noexcept;
/// The plain reference: a row after one call.
[[nodiscard]] table_row changed(table_row row) noexcept;

}  // namespace pinhole::scenarios
