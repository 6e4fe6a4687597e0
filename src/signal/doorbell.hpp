// Writes the line by which the host wakes a kernel.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pinhole/memory/storage.hpp"

namespace pinhole::detail {

/// How lines reach the memory that kernels poll.
class doorbell {
 public:
  explicit doorbell(const storage& lines) noexcept;

  /// Fills the line with pieces of `bytes` <= 32 bytes of payload, each with the tag. `ordered`:
  /// after all that the calling thread wrote before, at system scope. The line is on its way when
  /// the call returns.
  void ring(std::byte* line, const void* payload, std::size_t bytes, std::uint32_t tag,
            bool ordered) const noexcept;

 private:
  enum class road {
    ordinary,         ///< memory with caches: word by word
    write_combining,  ///< VRAM: word by word, then a fence that empties the buffers
    direct,           ///< VRAM: the line in one store
  };
  road road_;
};

}  // namespace pinhole::detail
