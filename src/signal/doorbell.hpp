// Writes the line by which the host wakes a kernel.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pinhole/memory/storage.hpp"

namespace pinhole::detail {

/// How lines reach the memory that kernels poll.
class doorbell {
 public:
  enum class road {
    ordinary,         ///< memory with caches: word by word
    write_combining,  ///< VRAM: word by word, then a fence that empties the buffers
    direct,           ///< VRAM: the line in one store; platform::can_store_directly()
  };

  /// The best road to these lines.
  explicit doorbell(const storage& lines) noexcept;
  explicit doorbell(road to) noexcept : road_(to) {}

  /// Fills the line with pieces of `bytes` <= 32 bytes of payload, each with the tag. `ordered`:
  /// after all that the calling thread wrote before, at system scope. The line is on its way when
  /// the call returns.
  void ring(std::byte* line, const void* payload, std::size_t bytes, std::uint32_t tag,
            bool ordered) const noexcept;

 private:
  road road_;
};

}  // namespace pinhole::detail
