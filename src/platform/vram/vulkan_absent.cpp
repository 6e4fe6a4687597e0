// A build without Vulkan's headers has no such road.
#include "platform/vram/vulkan_memory.hpp"

namespace pinhole::platform {

struct vulkan_memory::device {};

vulkan_memory::vulkan_memory(const device_uuid& /*wanted*/, const char* /*loader*/)
    : open_{false, "this build was made without Vulkan's headers",
            "install libvulkan-dev and build anew"} {}

vulkan_memory::~vulkan_memory() = default;

status vulkan_memory::allocate(std::size_t /*bytes*/, vulkan_block& /*out*/) {
  return {outcome::not_supported, "vkAllocateMemory", "a build without Vulkan"};
}

void vulkan_memory::free(const vulkan_block& /*block*/) noexcept {}

}  // namespace pinhole::platform
