// The kernels of the VRAM tests that have to be written by hand: they poll.
#pragma once

#include <cstdint>

#include "pinhole/core/config.hpp"
#include "pinhole/core/view.hpp"
#include "pinhole/platform/stream.hpp"

namespace pinhole::test {

/// Word `i` of what is sent in a round: no two rounds and no two words share a value by system.
PINHOLE_HD constexpr std::uint32_t message_word(std::uint32_t round, std::uint32_t i) {
  std::uint32_t x = round * 2654435761U ^ (i + 1) * 2246822519U;
  x ^= x >> 15U;
  x *= 2654435761U;
  return x ^ x >> 13U;
}

inline constexpr std::uint32_t message_words = 32;  ///< one for each lane of a warp
inline constexpr std::uint32_t stop_round = 0xffffffffU;

/// What both sides of a conversation write. Each word has one writer.
struct conversation {
  view<std::uint32_t> payload;     ///< in VRAM, written by the host
  view<std::uint32_t> doorbell;    ///< in VRAM, one word, written by the host: the round, from 1 on
  view<std::uint32_t> reply;       ///< in host memory: [0] the last round that was seen, [1] words
                                   ///< that were wrong so far, [2] heartbeat, [3] how it ended
  view<const std::uint32_t> stop;  ///< in host memory: not zero ends the kernel
  std::uint64_t limit_ns = 0;      ///< it ends by itself after this time
};

/// Where in the payload the message of a round begins, in words: at every alignment in turn.
PINHOLE_HD constexpr std::uint32_t message_place(std::uint32_t round, std::uint32_t words) {
  return round * 7U % (words - message_words);
}

/// One warp that polls the doorbell, checks every word of the payload of the round that it names,
/// and replies. Ends when the doorbell is stop_round (reply[3] = 1), when stop is set (2), or when
/// its time is up (3).
void start_checker(const stream_ref& work, const conversation& with);

/// Spins on the device for about `ns`, then adds 1 to every element.
void add_one_after(const stream_ref& work, view<std::uint32_t> data, std::uint64_t ns);

}  // namespace pinhole::test
