// The part of the Vulkan road that is Vulkan's: memory that the CPU maps and another driver
// imports.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "pinhole/platform/capabilities.hpp"
#include "platform/status.hpp"
#include "platform/vram/gpu_calls.hpp"

namespace pinhole::platform {

/// Device memory in this process's address space.
struct vulkan_block {
  void* host = nullptr;
  std::size_t bytes = 0;     ///< as allocated: what an importer must name
  int file = -1;             ///< for one importer, who takes it over; else to be closed
  std::uint64_t memory = 0;  ///< the VkDeviceMemory
};

/// One physical device, found by its UUID. Vulkan is opened at run time; a build without its
/// headers has it closed always. All members may be called from any thread.
class vulkan_memory {
 public:
  explicit vulkan_memory(const device_uuid& wanted, const char* loader = "libvulkan.so.1");
  ~vulkan_memory();
  vulkan_memory(const vulkan_memory&) = delete;             // owns a Vulkan device
  vulkan_memory& operator=(const vulkan_memory&) = delete;  // owns a Vulkan device

  /// Whether memory can be had; the reason when it cannot.
  [[nodiscard]] const capability& open() const noexcept { return open_; }
  /// How much memory is both the device's and visible to the CPU; 0 when closed.
  [[nodiscard]] std::uint64_t window_bytes() const noexcept { return window_bytes_; }
  /// True when the CPU's mapping is not cached.
  [[nodiscard]] bool write_combining() const noexcept { return write_combining_; }

  /// Pre: open(). Post on failure: nothing is left.
  status allocate(std::size_t bytes, vulkan_block& out);
  /// Unmaps and frees; closes nothing, since the importer owns the file.
  void free(const vulkan_block& block) noexcept;

 private:
  struct device;
  std::unique_ptr<device> device_;
  capability open_;
  std::uint64_t window_bytes_ = 0;
  bool write_combining_ = false;
};

}  // namespace pinhole::platform
