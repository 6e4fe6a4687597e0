// Names of results.
#include "platform/vram/vulkan_calls.hpp"

namespace pinhole::platform {

const char* name_of(VkResult result) noexcept {
  switch (result) {
#define PINHOLE_NAME(name) \
  case name:               \
    return #name
    PINHOLE_NAME(VK_SUCCESS);
    PINHOLE_NAME(VK_INCOMPLETE);
    PINHOLE_NAME(VK_ERROR_OUT_OF_HOST_MEMORY);
    PINHOLE_NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY);
    PINHOLE_NAME(VK_ERROR_INITIALIZATION_FAILED);
    PINHOLE_NAME(VK_ERROR_DEVICE_LOST);
    PINHOLE_NAME(VK_ERROR_MEMORY_MAP_FAILED);
    PINHOLE_NAME(VK_ERROR_LAYER_NOT_PRESENT);
    PINHOLE_NAME(VK_ERROR_EXTENSION_NOT_PRESENT);
    PINHOLE_NAME(VK_ERROR_FEATURE_NOT_PRESENT);
    PINHOLE_NAME(VK_ERROR_INCOMPATIBLE_DRIVER);
    PINHOLE_NAME(VK_ERROR_TOO_MANY_OBJECTS);
    PINHOLE_NAME(VK_ERROR_INVALID_EXTERNAL_HANDLE);
#undef PINHOLE_NAME
    default:
      return "an unknown VkResult";
  }
}

status status_of(VkResult result, const char* call) noexcept {
  const auto what = [result] {
    switch (result) {
      case VK_SUCCESS:
        return outcome::ok;
      case VK_ERROR_OUT_OF_HOST_MEMORY:
      case VK_ERROR_OUT_OF_DEVICE_MEMORY:
      case VK_ERROR_MEMORY_MAP_FAILED:  // the address space is full or limited
      case VK_ERROR_TOO_MANY_OBJECTS:
        return outcome::out_of_memory;
      default:
        return outcome::failed;
    }
  }();
  return {what, call, name_of(result)};
}

}  // namespace pinhole::platform
