// Machines whose CPU reaches device memory by itself.
#pragma once

#include "platform/vram/gpu_road.hpp"

namespace pinhole::platform {

/// Grace Hopper and the like: managed memory that stays on the device, read and written by the CPU
/// through its caches.
class coherent_road final : public gpu_road {
 public:
  using gpu_road::gpu_road;
  [[nodiscard]] const char* name() const noexcept override { return "coherent link"; }
  [[nodiscard]] road_state probe() override;
  status map(std::size_t bytes, vram_block& out) override;
  status unmap(const vram_block& block) override;
};

}  // namespace pinhole::platform
