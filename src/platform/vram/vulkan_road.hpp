// Vulkan allocates and maps, CUDA imports. Needs neither root nor a kernel module.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "platform/vram/cuda_road.hpp"
#include "platform/vram/vulkan_memory.hpp"

namespace pinhole::platform {

class vulkan_road final : public cuda_road {
 public:
  using cuda_road::cuda_road;
  [[nodiscard]] const char* name() const noexcept override { return "Vulkan"; }
  [[nodiscard]] road_state probe() override;
  status map(std::size_t bytes, vram_block& out) override;
  status unmap(const vram_block& block) override;

 private:
  std::unique_ptr<vulkan_memory> memory_;  // once probed and open
};

}  // namespace pinhole::platform
