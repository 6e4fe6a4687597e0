// The functions of Vulkan that are used, fetched at run time. Nothing links against the loader.
#pragma once

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include "platform/status.hpp"

namespace pinhole::platform {

#define PINHOLE_VULKAN_INSTANCE_CALLS(CALL)         \
  CALL(vkDestroyInstance)                           \
  CALL(vkEnumeratePhysicalDevices)                  \
  CALL(vkGetPhysicalDeviceProperties2)              \
  CALL(vkGetPhysicalDeviceMemoryProperties)         \
  CALL(vkGetPhysicalDeviceExternalBufferProperties) \
  CALL(vkEnumerateDeviceExtensionProperties)        \
  CALL(vkCreateDevice)                              \
  CALL(vkGetDeviceProcAddr)

#define PINHOLE_VULKAN_DEVICE_CALLS(CALL) \
  CALL(vkDestroyDevice)                   \
  CALL(vkCreateBuffer)                    \
  CALL(vkDestroyBuffer)                   \
  CALL(vkGetBufferMemoryRequirements)     \
  CALL(vkAllocateMemory)                  \
  CALL(vkFreeMemory)                      \
  CALL(vkMapMemory)                       \
  CALL(vkUnmapMemory)                     \
  CALL(vkGetMemoryFdKHR)

/// Each member is named like the function that it holds.
struct vulkan_calls {
#define PINHOLE_DECLARE(name) PFN_##name name = nullptr;
  PINHOLE_VULKAN_INSTANCE_CALLS(PINHOLE_DECLARE)
  PINHOLE_VULKAN_DEVICE_CALLS(PINHOLE_DECLARE)
#undef PINHOLE_DECLARE
};

/// The result as its name in the specification.
[[nodiscard]] const char* name_of(VkResult result) noexcept;
[[nodiscard]] status status_of(VkResult result, const char* call) noexcept;

}  // namespace pinhole::platform
