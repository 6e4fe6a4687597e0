// What a small write to VRAM costs its caller, one at a time and many in a row.
#pragma once

#include <string>
#include <vector>

#include "benchmarks/vram_timing.hpp"
#include "pinhole/memory/vram_buffer.hpp"

namespace pinhole::measure {

/// The samples named so are the clock's own cost, to be taken off those that end in `_spaced_us`.
inline constexpr const char* clock_alone = "timed_nothing_us";

struct timed_writes {
  std::string name;
  samples us = {};
};

/// Writes of 4 B, 64 B and 4 KiB by write(), fence included:
///
/// - `write_4B_same_place_spaced_us`: one write, timed singly, 2 us after whatever came before it,
///   always to the same place. So does a caller ring a doorbell.
/// - `write_4B_new_places_spaced_us`: the same, each to the next lines of `into`.
/// - `write_4B_cold_spaced_us`: to the same place, with the source out of the caches.
/// - `write_4B_same_place_back_to_back_us`, `write_4B_new_places_back_to_back_us`: the mean of many
///   in a row, where each also waits for the fences of those before it.
/// - `clock_alone`: nothing, timed singly and 2 us apart.
///
/// Arms take turns. Pre: `into` has at least 1 MiB, and nobody else uses it.
[[nodiscard]] std::vector<timed_writes> time_small_writes(vram_buffer<std::byte>& into);

}  // namespace pinhole::measure
