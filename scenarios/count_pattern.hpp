// Counts where a pattern of eight bytes stands: the kernel that `scan` is about.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pinhole/core/view.hpp"
#include "pinhole/platform/stream.hpp"

namespace pinhole::scenarios {

/// Sixteen bytes: what a thread reads at once.
struct alignas(16) byte_quad {
  std::uint64_t low;  ///< the first eight, the first byte lowest
  std::uint64_t high;
};

/// Where the pattern may stand: it begins in one of the first `begins` of the quads, at any byte of
/// them, and ends within the quads.
struct pattern_search {
  view<const byte_quad> quads;
  std::size_t begins = 0;
  std::uint64_t pattern = 0;  ///< its first byte lowest
};

/// How many counts one search leaves behind, one of each block.
[[nodiscard]] unsigned blocks_for(const device& where, const pattern_search& what);

/// Queues the search; block b leaves its count in counts[b], for blocks_for() of them.
void count_pattern(const stream_ref& work, const pattern_search& what, view<std::uint64_t> counts);

namespace detail {
inline constexpr unsigned search_threads = 512;
/// In count_pattern.cu; not there in a CPU-only build.
[[nodiscard]] const void* search_kernel();

/// How often the pattern begins in `here`, whose next eight bytes are `next`.
PINHOLE_HD inline unsigned matches_in(const byte_quad& here, std::uint64_t next,
                                      std::uint64_t pattern) {
  unsigned found = (here.low == pattern ? 1U : 0U) + (here.high == pattern ? 1U : 0U);
  for (unsigned bits = 8; bits < 64; bits += 8) {
    found += ((here.low >> bits) | (here.high << (64 - bits))) == pattern ? 1U : 0U;
    found += ((here.high >> bits) | (next << (64 - bits))) == pattern ? 1U : 0U;
  }
  return found;
}
}  // namespace detail

}  // namespace pinhole::scenarios
