// Vulkan allocates and maps, CUDA imports. Needs neither root nor a kernel module.
#pragma once

#include <memory>

#include "platform/vram/gpu_road.hpp"
#include "platform/vram/vulkan_memory.hpp"

namespace pinhole::platform {

class vulkan_road final : public gpu_road {
 public:
  explicit vulkan_road(gpu_calls& gpu, const char* loader = "libvulkan.so.1") noexcept
      : gpu_road(gpu), loader_(loader) {}
  [[nodiscard]] const char* name() const noexcept override { return "Vulkan"; }
  [[nodiscard]] road_state probe() override;
  status map(std::size_t bytes, vram_block& out) override;
  status unmap(const vram_block& block) override;

 private:
  const char* loader_;
  std::unique_ptr<vulkan_memory> memory_;  // once probed and open
};

}  // namespace pinhole::platform
