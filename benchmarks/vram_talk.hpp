// The host's end of vram_echo.hpp: how long until a kernel that stays has seen a message and
// answered it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "benchmarks/vram_echo.hpp"
#include "pinhole/memory/mapped_buffer.hpp"
#include "pinhole/memory/vram_buffer.hpp"
#include "pinhole/platform/stream.hpp"

namespace pinhole::measure {

/// A conversation with the kernel; it ends when this goes out of scope.
class echo_talk {
 public:
  /// Messages of 4, 64 or 4096 bytes.
  echo_talk(const device& gpu, std::size_t size);
  ~echo_talk();
  echo_talk(const echo_talk&) = delete;
  echo_talk& operator=(const echo_talk&) = delete;

  /// One round trip: the message into VRAM, and the kernel's answer, which comes to host memory.
  /// Returns its microseconds. Throws std::runtime_error when the answer is wrong or does not come.
  double ask();

 private:
  std::uint64_t answer();

  std::uint32_t round_ = 0;
  std::vector<std::uint32_t> next_;  // whole chunks
  bool word_alone_;                  // of the message only the round is written
  stream work_;                      // outlives what the kernel uses
  vram_buffer<std::uint32_t> message_;
  mapped_buffer<std::uint64_t> reply_;
  mapped_buffer<std::uint32_t> stop_;
};

}  // namespace pinhole::measure
