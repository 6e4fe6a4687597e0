// The kernels that the topic `memory` times, behind functions that queue them.
#pragma once

#include <vector_types.h>

#include <cstdint>

#include "pinhole/access/chunk_engine.hpp"
#include "pinhole/core/config.hpp"
#include "pinhole/core/view.hpp"
#include "pinhole/memory/mapped_buffer.hpp"
#include "pinhole/platform/stream.hpp"

namespace pinhole::measure {

/// Numbers that look random, one for each i.
PINHOLE_HD inline std::uint64_t scatter_bits(std::uint64_t i) {
  i = (i ^ (i >> 31U)) * 0x9E3779B97F4A7C15ULL;
  i = (i ^ (i >> 29U)) * 0xBF58476D1CE4E5B9ULL;
  return i ^ (i >> 32U);
}

/// Access to a table of 2^n units at places scatter_bits(seed), scatter_bits(seed + 1), ...
struct random_accesses {
  std::uint64_t units = 0;
  std::uint64_t count = 0;
  std::uint64_t seed = 0;
};
/// Each access is one line of 128 bytes, read by eight threads. `sum` is xored with all words.
void read_lines(const stream& work, const void* table, random_accesses what, unsigned* sum);
/// Access i writes the word i.
void write_words(const stream& work, void* table, random_accesses what);

/// Rows of words, one warp a row, from the row's first byte on, as one writes it at first.
struct plain_rows {
  const std::uint32_t* table;
  std::uint64_t words;  // of a row
  const std::uint32_t* which;
  std::uint64_t count;
  std::uint32_t* out;
};
void copy_plain_rows(const stream& work, const plain_rows& what);

/// Reads a range in order without writing anything down; `never` is written to only if a value
/// that is not there is found.
void look_in_place(const stream& work, view<const uint4> range, unsigned* never, unsigned blocks);
/// The same by stream_through() with an engine.
void look_through(const stream& work, const mapped_buffer<uint4>& range, unsigned* never,
                  chunk_engine& engine);
void write_in_order(const stream& work, view<uint4> to, unsigned value, unsigned blocks);

/// Blocks that keep the whole device busy.
[[nodiscard]] unsigned all_blocks(const device& where);

}  // namespace pinhole::measure
