// Finds the device, the memory type and the functions; then allocates, maps and exports.
#include "platform/vram/vulkan_memory.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "platform/linux/mapping.hpp"
#include "platform/linux/shared_library.hpp"
#include "platform/vram/vulkan_calls.hpp"

namespace pinhole::platform {

namespace {

constexpr auto exported_as = VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;
constexpr VkBufferUsageFlags any_use = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                       VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                                       VK_BUFFER_USAGE_TRANSFER_DST_BIT;
constexpr const char* export_extension = VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME;
constexpr auto get_the_driver =
    "install the Vulkan part of NVIDIA's driver (libnvidia-gl); in a container give it the "
    "graphics capability (NVIDIA_DRIVER_CAPABILITIES=all), or point VK_DRIVER_FILES at "
    "nvidia_icd.json";

/// Importers map memory of this kind page by page.
constexpr std::size_t device_page = std::size_t{2} << 20U;

struct memory_type {
  std::uint32_t index = 0;
  std::uint64_t heap_bytes = 0;
  bool cached = false;
};

/// Of the types that a buffer allows: the device's, seen by the CPU, coherent, on the largest heap.
std::optional<memory_type> best_type(const VkPhysicalDeviceMemoryProperties& memory,
                                     std::uint32_t allowed) {
  constexpr VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT |
                                           VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                           VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  std::optional<memory_type> best;
  for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    const auto& type = memory.memoryTypes[i];
    if ((allowed >> i & 1U) == 0 || (type.propertyFlags & wanted) != wanted) {
      continue;
    }
    const auto bytes = memory.memoryHeaps[type.heapIndex].size;
    if (!best || bytes > best->heap_bytes) {
      best = {i, bytes, (type.propertyFlags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT) != 0};
    }
  }
  return best;
}

capability no(std::string reason, const char* remedy) {
  return {false, std::move(reason), remedy};
}

}  // namespace

/// Opens step by step; each step answers with a `no` when it cannot go on.
struct vulkan_memory::device {
  explicit device(const char* loader) : library(loader) {}
  ~device();

  capability open(const device_uuid& wanted);
  capability make_instance();
  capability find(const device_uuid& wanted);
  capability check_export();
  capability make_device();
  capability choose_memory();

  shared_library library;
  vulkan_calls call;
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice logical = VK_NULL_HANDLE;
  memory_type type;
  std::size_t granule = 1;
};

vulkan_memory::device::~device() {
  // A broken driver may lack even these.
  if (logical != VK_NULL_HANDLE && call.vkDestroyDevice != nullptr) {
    call.vkDestroyDevice(logical, nullptr);
  }
  if (instance != VK_NULL_HANDLE && call.vkDestroyInstance != nullptr) {
    call.vkDestroyInstance(instance, nullptr);
  }
}

capability vulkan_memory::device::open(const device_uuid& wanted) {
  auto done = make_instance();
  done = done ? find(wanted) : done;
  done = done ? check_export() : done;
  done = done ? make_device() : done;
  return done ? choose_memory() : done;
}

capability vulkan_memory::device::make_instance() {
  if (!library.is_open()) {
    return no("Vulkan's loader cannot be opened (" + library.problem() + ")", "install libvulkan1");
  }
  const auto get = library.symbol<PFN_vkGetInstanceProcAddr>("vkGetInstanceProcAddr");
  const auto create =
      get == nullptr ? nullptr
                     : reinterpret_cast<PFN_vkCreateInstance>(get(nullptr, "vkCreateInstance"));
  if (create == nullptr) {
    return no("Vulkan's loader is broken: it has no vkCreateInstance", "install libvulkan1 anew");
  }
  const VkApplicationInfo application{.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                      .pNext = nullptr,
                                      .pApplicationName = "pinhole",
                                      .applicationVersion = 0,
                                      .pEngineName = nullptr,
                                      .engineVersion = 0,
                                      .apiVersion = VK_API_VERSION_1_1};
  VkInstanceCreateInfo how{};
  how.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  how.pApplicationInfo = &application;
  if (const auto made = create(&how, nullptr, &instance); made != VK_SUCCESS) {
    instance = VK_NULL_HANDLE;
    return no(std::string("vkCreateInstance failed with ") + name_of(made), get_the_driver);
  }
  bool complete = true;
#define PINHOLE_FETCH(name)                                       \
  call.name = reinterpret_cast<PFN_##name>(get(instance, #name)); \
  complete = complete && call.name != nullptr;
  PINHOLE_VULKAN_INSTANCE_CALLS(PINHOLE_FETCH)
#undef PINHOLE_FETCH
  return complete ? capability{true, "", ""}
                  : no("Vulkan's loader is older than Vulkan 1.1", "install a newer libvulkan1");
}

capability vulkan_memory::device::find(const device_uuid& wanted) {
  std::uint32_t count = 0;
  call.vkEnumeratePhysicalDevices(instance, &count, nullptr);
  std::vector<VkPhysicalDevice> all(count);
  const auto listed = call.vkEnumeratePhysicalDevices(instance, &count, all.data());
  if (listed != VK_SUCCESS && listed != VK_INCOMPLETE) {
    return no(std::string("vkEnumeratePhysicalDevices failed with ") + name_of(listed),
              get_the_driver);
  }
  all.resize(count);
  std::string others;
  for (auto* const one : all) {
    VkPhysicalDeviceIDProperties identity{};
    identity.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES;
    VkPhysicalDeviceProperties2 facts{};
    facts.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    facts.pNext = &identity;
    call.vkGetPhysicalDeviceProperties2(one, &facts);
    if (std::equal(wanted.begin(), wanted.end(), identity.deviceUUID)) {
      physical = one;
      return {true, "", ""};
    }
    others += (others.empty() ? "" : ", ") + std::string(facts.properties.deviceName);
  }
  return no("Vulkan lists " + (others.empty() ? "no device" : "only other devices: " + others),
            get_the_driver);
}

capability vulkan_memory::device::check_export() {
  std::uint32_t count = 0;
  call.vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, nullptr);
  std::vector<VkExtensionProperties> known(count);
  call.vkEnumerateDeviceExtensionProperties(physical, nullptr, &count, known.data());
  const bool has_extension = std::any_of(known.begin(), known.end(), [](const auto& one) {
    return std::string_view(one.extensionName) == export_extension;
  });
  VkPhysicalDeviceExternalBufferInfo what{};
  what.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO;
  what.usage = any_use;
  what.handleType = exported_as;
  VkExternalBufferProperties answer{};
  answer.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES;
  call.vkGetPhysicalDeviceExternalBufferProperties(physical, &what, &answer);
  const auto features = answer.externalMemoryProperties.externalMemoryFeatures;
  if (!has_extension || (features & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT) == 0) {
    return no("the Vulkan driver cannot export memory to CUDA", "use a newer driver");
  }
  if ((features & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT) != 0) {
    return no("the Vulkan driver exports only memory that is dedicated to one buffer",
              "use another driver");
  }
  return {true, "", ""};
}

capability vulkan_memory::device::make_device() {
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{};  // never used, but a device must have one
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo how{};
  how.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  how.queueCreateInfoCount = 1;
  how.pQueueCreateInfos = &queue;
  how.enabledExtensionCount = 1;
  how.ppEnabledExtensionNames = &export_extension;
  if (const auto made = call.vkCreateDevice(physical, &how, nullptr, &logical);
      made != VK_SUCCESS) {
    logical = VK_NULL_HANDLE;
    return no(std::string("vkCreateDevice failed with ") + name_of(made), get_the_driver);
  }
  bool complete = true;
#define PINHOLE_FETCH(name)                                                           \
  call.name = reinterpret_cast<PFN_##name>(call.vkGetDeviceProcAddr(logical, #name)); \
  complete = complete && call.name != nullptr;
  PINHOLE_VULKAN_DEVICE_CALLS(PINHOLE_FETCH)
#undef PINHOLE_FETCH
  return complete ? capability{true, "", ""}
                  : no("the Vulkan driver lacks functions of its own extension",
                       "install the driver anew");
}

capability vulkan_memory::device::choose_memory() {
  VkExternalMemoryBufferCreateInfo external{};
  external.sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO;
  external.handleTypes = exported_as;
  VkBufferCreateInfo how{};
  how.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  how.pNext = &external;
  how.size = 65536;
  how.usage = any_use;
  VkBuffer buffer = VK_NULL_HANDLE;
  if (const auto made = call.vkCreateBuffer(logical, &how, nullptr, &buffer); made != VK_SUCCESS) {
    return no(std::string("vkCreateBuffer failed with ") + name_of(made), get_the_driver);
  }
  VkMemoryRequirements needs{};
  call.vkGetBufferMemoryRequirements(logical, buffer, &needs);
  call.vkDestroyBuffer(logical, buffer, nullptr);
  VkPhysicalDeviceMemoryProperties memory{};
  call.vkGetPhysicalDeviceMemoryProperties(physical, &memory);
  // A type that an exportable buffer allows is preferred. Drivers may list none of those that the
  // CPU sees (580.159.04 on an H200 does not), and yet export and import such memory: no Vulkan
  // buffer is ever bound to it here, so that the list does not bind us, and the road's trial
  // judges.
  auto found = best_type(memory, needs.memoryTypeBits);
  if (!found) {
    constexpr std::uint32_t any_type = ~0U;
    found = best_type(memory, any_type);
  }
  if (!found) {
    return no("no memory of the device is visible to the CPU",
              "switch on resizable BAR (and decoding above 4 GiB) in the machine's firmware");
  }
  type = *found;
  granule = std::max<std::size_t>(needs.alignment, device_page);
  return {true, "", ""};
}

vulkan_memory::vulkan_memory(const device_uuid& wanted, const char* loader)
    : device_(std::make_unique<device>(loader)) {
  open_ = device_->open(wanted);
  if (!open_) {
    device_.reset();
    return;
  }
  window_bytes_ = device_->type.heap_bytes;
  write_combining_ = !device_->type.cached;
}

vulkan_memory::~vulkan_memory() = default;

status vulkan_memory::allocate(std::size_t bytes, vulkan_block& out) {
  if (bytes > window_bytes_) {
    return {outcome::out_of_memory, "vkAllocateMemory", "more than the CPU's window"};
  }
  const auto& call = device_->call;
  auto* const logical = device_->logical;
  VkExportMemoryAllocateInfo exported{};
  exported.sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO;
  exported.handleTypes = exported_as;
  VkMemoryAllocateInfo how{};
  how.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  how.pNext = &exported;
  how.allocationSize = (bytes + device_->granule - 1) / device_->granule * device_->granule;
  how.memoryTypeIndex = device_->type.index;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  if (const auto made = call.vkAllocateMemory(logical, &how, nullptr, &memory);
      made != VK_SUCCESS) {
    return status_of(made, "vkAllocateMemory");
  }
  vulkan_block block{.bytes = how.allocationSize,
                     .memory = reinterpret_cast<std::uint64_t>(memory)};
  auto result =
      status_of(call.vkMapMemory(logical, memory, 0, VK_WHOLE_SIZE, 0, &block.host), "vkMapMemory");
  if (result.ok()) {
    VkMemoryGetFdInfoKHR what{};
    what.sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR;
    what.memory = memory;
    what.handleType = exported_as;
    result = status_of(call.vkGetMemoryFdKHR(logical, &what, &block.file), "vkGetMemoryFdKHR");
  }
  if (!result.ok()) {
    call.vkFreeMemory(logical, memory, nullptr);  // unmaps too
    return result;
  }
  keep_from_children(block.host, block.bytes);
  out = block;
  return {};
}

void vulkan_memory::free(const vulkan_block& block) noexcept {
  device_->call.vkFreeMemory(device_->logical, reinterpret_cast<VkDeviceMemory>(block.memory),
                             nullptr);  // unmaps too
}

}  // namespace pinhole::platform
