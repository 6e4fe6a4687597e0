// What the roads ask of a GPU's driver, free of CUDA's headers: roads are tried everywhere, with a
// driver that fails as a test tells it to.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "platform/status.hpp"

namespace pinhole::platform {

using device_uuid = std::array<std::uint8_t, 16>;

struct gpu_identity {
  device_uuid uuid{};
  std::uint64_t memory_bytes = 0;
  std::optional<std::uint64_t> bar1_bytes;  ///< where the system says it
};

/// One call of the driver each, on one GPU. All may be called from any thread; none during graph
/// capture.
class gpu_calls {
 public:
  virtual ~gpu_calls() = default;

  virtual status identify(gpu_identity& into) = 0;
  /// Whether the CPU reaches the device's memory by itself.
  virtual status is_coherent(bool& into) = 0;

  virtual status allocate(std::size_t bytes, void*& out) = 0;
  virtual status allocate_managed(std::size_t bytes, void*& out) = 0;
  /// Of either kind, or from map_import(). May wait for the device. When the status is
  /// invalid_value, the device does not know the address: it was reset.
  virtual status free(void* memory) = 0;

  // Managed memory: its home is the device, the CPU's page tables map it, and it moves there now.
  virtual status prefer_device(void* managed, std::size_t bytes) = 0;
  virtual status map_for_cpu(void* managed, std::size_t bytes) = 0;
  virtual status move_to_device(void* managed, std::size_t bytes) = 0;

  /// Post: `file` is a dma-buf of the range, which is the caller's to close.
  virtual status export_dma_buf(void* memory, std::size_t bytes, int& file) = 0;

  /// Takes the file over when it succeeds.
  virtual status import_file(int file, std::size_t bytes, void*& imported) = 0;
  virtual status map_import(void* imported, std::size_t bytes, void*& on_device) = 0;
  virtual status drop_import(void* imported) = 0;

  /// Both return when the bytes have arrived.
  virtual status copy_to_device(void* on_device, const void* from, std::size_t bytes) = 0;
  virtual status copy_to_host(void* to, const void* on_device, std::size_t bytes) = 0;
};

}  // namespace pinhole::platform
