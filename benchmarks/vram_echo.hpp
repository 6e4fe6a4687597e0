// A kernel that stays and answers messages in VRAM: how long until it has seen one?
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "pinhole/core/config.hpp"
#include "pinhole/core/view.hpp"
#include "pinhole/platform/stream.hpp"

namespace pinhole::measure {

/// A message is 64 bytes in four chunks of 16, each with the number of its round in its last word:
/// a chunk is read by one load, so that none can be half old. The shortest message is the round
/// alone, in the first chunk.
inline constexpr std::size_t chunk_words = 4;
inline constexpr std::size_t echo_chunks = 4;
using echo_message = std::array<std::uint32_t, chunk_words * echo_chunks>;

/// The message of a round, and what answers it when it arrived whole: any word that was wrong
/// changes the answer.
constexpr echo_message message_of(std::uint32_t round) {
  echo_message made{};
  for (std::uint32_t i = 0; i < made.size(); ++i) {
    made[i] = i % chunk_words == chunk_words - 1 ? round : (round + 1) * 2654435761U + i * 40503U;
  }
  return made;
}
constexpr std::uint64_t answer_to(const echo_message& message, std::size_t chunks) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < chunks * chunk_words; ++i) {
    sum += i % chunk_words == chunk_words - 1 ? 0 : message[i];
  }
  return sum << 32U | message[chunk_words - 1];
}

struct echo_desk {
  view<std::uint32_t> message;     ///< in VRAM: rounds come in order, from 1 on
  view<std::uint64_t> reply;       ///< in host memory
  view<const std::uint32_t> stop;  ///< in host memory: not zero ends the kernel
  std::uint32_t chunks = 4;        ///< how many of them the kernel waits for: 1, 2 or 4
  std::uint64_t limit_ns = 0;      ///< it ends by itself after this time
};

/// Queues the kernel on `work`, where it stays.
void start_echo(const stream_ref& work, const echo_desk& desk);

}  // namespace pinhole::measure
