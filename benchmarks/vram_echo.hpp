// A kernel that stays and answers messages in VRAM: how long until it has seen one?
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "pinhole/core/config.hpp"
#include "pinhole/core/view.hpp"
#include "pinhole/platform/stream.hpp"

namespace pinhole::measure {

/// A message is made of chunks of 16 bytes, each with the number of its round in its last word: a
/// chunk is read by one load, so that none can be half old. The shortest message is the round
/// alone, in a single chunk.
inline constexpr std::size_t chunk_words = 4;

/// The message of a round. Every word of it differs from the last round's.
inline void fill_message(std::uint32_t round, std::span<std::uint32_t> words) {
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    words[i] = i % chunk_words == chunk_words - 1 ? round : (round + 1) * 2654435761U + i * 40503U;
  }
}
/// What answers it when it arrived whole: any word that was wrong changes the answer.
inline std::uint64_t answer_to(std::span<const std::uint32_t> message) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < message.size(); ++i) {
    sum += i % chunk_words == chunk_words - 1 ? 0 : message[i];
  }
  return sum << 32U | message[chunk_words - 1];
}

struct echo_desk {
  view<std::uint32_t> message;     ///< in VRAM: rounds come in order, from 1 on
  view<std::uint64_t> reply;       ///< in host memory
  view<const std::uint32_t> stop;  ///< in host memory: not zero ends the kernel
  std::uint32_t chunks = 1;        ///< of a message: 1, 4 or 256
  std::uint64_t limit_ns = 0;      ///< it ends by itself after this time
};

/// Queues the kernel on `work`, where it stays.
void start_echo(const stream_ref& work, const echo_desk& desk);

}  // namespace pinhole::measure
