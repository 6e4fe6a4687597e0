// Device memory as a dma-buf, which newer drivers let the CPU map.
#pragma once

#include "platform/vram/gpu_road.hpp"

namespace pinhole::platform {

/// Ordinary device memory, exported as a file descriptor and mapped from it.
class dma_buf_road final : public gpu_road {
 public:
  using gpu_road::gpu_road;
  [[nodiscard]] const char* name() const noexcept override { return "dma-buf"; }
  [[nodiscard]] road_state probe() override;
  status map(std::size_t bytes, vram_block& out) override;
  status unmap(const vram_block& block) override;
};

}  // namespace pinhole::platform
