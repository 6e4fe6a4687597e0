// A Vulkan loader with one device, which fails where PINHOLE_FAKE_VULKAN tells it to: for the ways
// in which the Vulkan road can be closed. It counts what lives. Its memory is a file in RAM, which
// an importer can map.
#define VK_NO_PROTOTYPES
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vulkan/vulkan_core.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace {

std::atomic<int> live{0};  // instances, devices, buffers and memories

bool told(std::string_view what) {
  const char* const plan = std::getenv("PINHOLE_FAKE_VULKAN");
  return plan != nullptr && what == plan;
}

/// Handles are addresses, and some Vulkan handles are no pointers on some machines.
template <class Handle>
VkResult make(Handle* out) {
  ++live;
  *out = reinterpret_cast<Handle>(new char);
  return VK_SUCCESS;
}
template <class Handle>
void destroy(Handle gone) {
  --live;
  delete reinterpret_cast<char*>(gone);
}

struct memory {
  std::uint64_t bytes;
  int file;
  void* mapped;
};

VkResult vkCreateInstance(const VkInstanceCreateInfo* how, const VkAllocationCallbacks*,
                          VkInstance* out) {
  if (how->pApplicationInfo->apiVersion < VK_API_VERSION_1_1) {
    return VK_ERROR_INITIALIZATION_FAILED;
  }
  return told("no driver") ? VK_ERROR_INCOMPATIBLE_DRIVER : make(out);
}
void vkDestroyInstance(VkInstance gone, const VkAllocationCallbacks*) {
  destroy(gone);
}

VkResult vkEnumeratePhysicalDevices(VkInstance, std::uint32_t* count, VkPhysicalDevice* out) {
  if (told("devices cannot be listed")) {
    return VK_ERROR_INITIALIZATION_FAILED;
  }
  *count = told("no device") ? 0 : 1;
  if (out != nullptr && *count == 1) {
    static char the_device;
    out[0] = reinterpret_cast<VkPhysicalDevice>(&the_device);
  }
  return VK_SUCCESS;
}

void vkGetPhysicalDeviceProperties2(VkPhysicalDevice, VkPhysicalDeviceProperties2* out) {
  std::strcpy(out->properties.deviceName, "a fake device");
  auto* const identity = static_cast<VkPhysicalDeviceIDProperties*>(out->pNext);
  std::memset(identity->deviceUUID, told("another device") ? 9 : 7, VK_UUID_SIZE);
}

void vkGetPhysicalDeviceMemoryProperties(VkPhysicalDevice, VkPhysicalDeviceMemoryProperties* out) {
  constexpr VkMemoryPropertyFlags seen =
      VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  constexpr VkMemoryPropertyFlags device = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  *out = {};
  out->memoryTypeCount = 4;
  out->memoryTypes[0] = {device, 0};
  out->memoryTypes[1] = {seen, 1};
  out->memoryTypes[2] = {told("no window") ? device : device | seen, 2};  // not for buffers
  out->memoryTypes[3] = {told("no window") || told("unlisted window") ? device : device | seen, 3};
  out->memoryHeapCount = 4;
  out->memoryHeaps[0].size = std::uint64_t{16} << 30U;
  out->memoryHeaps[1].size = std::uint64_t{64} << 30U;
  out->memoryHeaps[2].size = std::uint64_t{16} << 30U;
  out->memoryHeaps[3].size = std::uint64_t{246} << 20U;
}

void vkGetPhysicalDeviceExternalBufferProperties(VkPhysicalDevice,
                                                 const VkPhysicalDeviceExternalBufferInfo*,
                                                 VkExternalBufferProperties* out) {
  out->externalMemoryProperties.externalMemoryFeatures =
      told("no export")        ? 0
      : told("dedicated only") ? VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT |
                                     VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT
                               : VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT;
}

VkResult vkEnumerateDeviceExtensionProperties(VkPhysicalDevice, const char*, std::uint32_t* count,
                                              VkExtensionProperties* out) {
  *count = told("no extension") ? 0 : 1;
  if (out != nullptr && *count == 1) {
    std::strcpy(out[0].extensionName, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
  }
  return VK_SUCCESS;
}

VkResult vkCreateDevice(VkPhysicalDevice, const VkDeviceCreateInfo*, const VkAllocationCallbacks*,
                        VkDevice* out) {
  return told("no logical device") ? VK_ERROR_DEVICE_LOST : make(out);
}
void vkDestroyDevice(VkDevice gone, const VkAllocationCallbacks*) {
  destroy(gone);
}

VkResult vkCreateBuffer(VkDevice, const VkBufferCreateInfo*, const VkAllocationCallbacks*,
                        VkBuffer* out) {
  return told("no buffer") ? VK_ERROR_OUT_OF_HOST_MEMORY : make(out);
}
void vkDestroyBuffer(VkDevice, VkBuffer gone, const VkAllocationCallbacks*) {
  destroy(gone);
}
void vkGetBufferMemoryRequirements(VkDevice, VkBuffer, VkMemoryRequirements* out) {
  *out = {.size = 65536, .alignment = 512, .memoryTypeBits = 0b1011};
}

VkResult vkAllocateMemory(VkDevice, const VkMemoryAllocateInfo* how, const VkAllocationCallbacks*,
                          VkDeviceMemory* out) {
  if (told("no memory") || how->memoryTypeIndex != (told("unlisted window") ? 2U : 3U)) {
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  }
  const int file = memfd_create("a fake Vulkan device", MFD_CLOEXEC);
  if (ftruncate(file, static_cast<off_t>(how->allocationSize)) != 0) {
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  }
  ++live;
  *out = reinterpret_cast<VkDeviceMemory>(new memory{how->allocationSize, file, nullptr});
  return VK_SUCCESS;
}
void vkFreeMemory(VkDevice, VkDeviceMemory gone, const VkAllocationCallbacks*) {
  --live;
  auto* const held = reinterpret_cast<memory*>(gone);
  if (held->mapped != nullptr) {
    munmap(held->mapped, held->bytes);
  }
  close(held->file);
  delete held;
}
VkResult vkMapMemory(VkDevice, VkDeviceMemory which, VkDeviceSize, VkDeviceSize, VkMemoryMapFlags,
                     void** out) {
  if (told("no address space")) {
    return VK_ERROR_MEMORY_MAP_FAILED;
  }
  auto* const held = reinterpret_cast<memory*>(which);
  held->mapped = mmap(nullptr, held->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, held->file, 0);
  *out = held->mapped;
  return VK_SUCCESS;
}
void vkUnmapMemory(VkDevice, VkDeviceMemory) {}
VkResult vkGetMemoryFdKHR(VkDevice, const VkMemoryGetFdInfoKHR* what, int* out) {
  const auto* const held = reinterpret_cast<memory*>(what->memory);
  *out = told("no descriptor") ? -1 : fcntl(held->file, F_DUPFD_CLOEXEC, 0);
  return *out < 0 ? VK_ERROR_TOO_MANY_OBJECTS : VK_SUCCESS;
}

PFN_vkVoidFunction function(const char* name);
PFN_vkVoidFunction vkGetDeviceProcAddr(VkDevice, const char* name) {
  const bool lacks = told("lacks a function") && std::string_view(name) == "vkGetMemoryFdKHR";
  return lacks ? nullptr : function(name);
}

PFN_vkVoidFunction function(const char* name) {
#define PINHOLE_KNOWS(known)                             \
  if (std::string_view(name) == #known) {                \
    return reinterpret_cast<PFN_vkVoidFunction>(&known); \
  }
  PINHOLE_KNOWS(vkCreateInstance)
  PINHOLE_KNOWS(vkDestroyInstance)
  PINHOLE_KNOWS(vkEnumeratePhysicalDevices)
  PINHOLE_KNOWS(vkGetPhysicalDeviceProperties2)
  PINHOLE_KNOWS(vkGetPhysicalDeviceMemoryProperties)
  PINHOLE_KNOWS(vkGetPhysicalDeviceExternalBufferProperties)
  PINHOLE_KNOWS(vkEnumerateDeviceExtensionProperties)
  PINHOLE_KNOWS(vkCreateDevice)
  PINHOLE_KNOWS(vkGetDeviceProcAddr)
  PINHOLE_KNOWS(vkDestroyDevice)
  PINHOLE_KNOWS(vkCreateBuffer)
  PINHOLE_KNOWS(vkDestroyBuffer)
  PINHOLE_KNOWS(vkGetBufferMemoryRequirements)
  PINHOLE_KNOWS(vkAllocateMemory)
  PINHOLE_KNOWS(vkFreeMemory)
  PINHOLE_KNOWS(vkMapMemory)
  PINHOLE_KNOWS(vkUnmapMemory)
  PINHOLE_KNOWS(vkGetMemoryFdKHR)
#undef PINHOLE_KNOWS
  return nullptr;
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) PFN_vkVoidFunction vkGetInstanceProcAddr(VkInstance,
                                                                                const char* name) {
  if (told("broken") ||
      (told("older than 1.1") && std::string_view(name) == "vkGetPhysicalDeviceProperties2")) {
    return nullptr;
  }
  return function(name);
}

/// How many Vulkan objects live.
__attribute__((visibility("default"))) int fake_vulkan_live() {
  return live;
}
}
