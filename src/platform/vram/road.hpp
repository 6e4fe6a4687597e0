// What each way of mapping device memory for the CPU can do.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pinhole/platform/capabilities.hpp"
#include "platform/status.hpp"
#include "platform/vram/vram_block.hpp"

namespace pinhole::platform {

/// What a probe finds.
struct road_state {
  capability open;
  std::uint64_t window_bytes = 0;  ///< as vram_road
};

/// One road on one device. probe() is called once, before any map(). map() and unmap() may be
/// called from any thread.
class road {
 public:
  virtual ~road() = default;
  [[nodiscard]] virtual const char* name() const noexcept = 0;
  /// Tries the road with real memory and leaves nothing behind. May throw: then it is closed.
  [[nodiscard]] virtual road_state probe() = 0;
  /// Pre: probe() said yes and bytes > 0. Post: both sides reach `bytes` bytes, at page-aligned
  /// addresses; on failure everything is undone.
  virtual status map(std::size_t bytes, vram_block& out) = 0;
  /// Pre: from map(), and the device is done with it. When the status is not_permitted, nothing was
  /// undone; else everything was, even if a call failed.
  virtual status unmap(const vram_block& block) = 0;
};

}  // namespace pinhole::platform
