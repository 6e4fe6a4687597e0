// Joins a Vulkan allocation and its image in CUDA's address space.
#include "platform/vram/vulkan_road.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "pinhole/core/units.hpp"
#include "platform/cuda/cuda_backend.hpp"
#include "platform/linux/mapping.hpp"
#include "platform/linux/pci.hpp"

namespace pinhole::platform {

namespace {

struct imported_block {
  vulkan_block from;
  cudaExternalMemory_t imported;
};

std::optional<std::uint64_t> bar1_of(int ordinal) {
  std::array<char, 32> bus{};
  if (cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), ordinal) != cudaSuccess) {
    return std::nullopt;
  }
  return read_pci(bus.data()).bar1_bytes;
}

/// CUDA takes the file over when it succeeds.
status import(const vulkan_block& from, cudaExternalMemory_t& imported, void*& on_device) {
  cudaExternalMemoryHandleDesc what{};
  what.type = cudaExternalMemoryHandleTypeOpaqueFd;
  what.handle.fd = from.file;
  what.size = from.bytes;
  if (const auto got = cudaImportExternalMemory(&imported, &what); got != cudaSuccess) {
    close_file(from.file);
    return status_of(got, "cudaImportExternalMemory");
  }
  cudaExternalMemoryBufferDesc whole{};
  whole.size = from.bytes;
  if (const auto got = cudaExternalMemoryGetMappedBuffer(&on_device, imported, &whole);
      got != cudaSuccess) {
    cudaDestroyExternalMemory(imported);
    return status_of(got, "cudaExternalMemoryGetMappedBuffer");
  }
  return {};
}

}  // namespace

road_state vulkan_road::probe() {
  cudaDeviceProp facts{};
  if (const auto got = cudaGetDeviceProperties(&facts, ordinal()); got != cudaSuccess) {
    return {.open = {false,
                     std::string("cudaGetDeviceProperties failed with ") + cudaGetErrorName(got),
                     ""}};
  }
  device_uuid uuid{};
  std::copy_n(reinterpret_cast<const std::uint8_t*>(facts.uuid.bytes), uuid.size(), uuid.begin());
  memory_ = std::make_unique<vulkan_memory>(uuid);
  road_state found{.open = memory_->open(), .window_bytes = memory_->window_bytes()};
  if (found.open) {
    auto problem = problem_on_trial();
    found.open = {problem.empty(), std::move(problem), ""};
  }
  const auto bar1 = bar1_of(ordinal());
  if (!found.open && bar1) {
    found.open.reason += " (BAR1 is " + format_bytes(*bar1) + ")";
  }
  // The heap leaves out what the driver keeps for itself; half the card or less is a small window.
  if (found.open && found.window_bytes < facts.totalGlobalMem / 2) {
    found.open.reason = "a window of " + format_bytes(found.window_bytes);
    found.open.remedy = "for all of the card, switch on resizable BAR in the machine's firmware";
  }
  return found;
}

status vulkan_road::map(std::size_t bytes, vram_block& out) {
  const current_device current(ordinal());
  auto kept = std::make_unique<imported_block>();
  if (const auto result = memory_->allocate(bytes, kept->from); !result.ok()) {
    return result;
  }
  void* on_device = nullptr;
  if (const auto result = import(kept->from, kept->imported, on_device); !result.ok()) {
    memory_->free(kept->from);
    return result;
  }
  out = {.host = kept->from.host,
         .on_device = on_device,
         .write_combining = memory_->write_combining(),
         .handle = kept.release()};
  return {};
}

status vulkan_road::unmap(const vram_block& block) {
  const current_device current(ordinal());
  // CUDA's half first: where freeing is not permitted now, nothing is undone yet.
  auto result = status_of(cudaFree(block.on_device), "cudaFree");
  if (result.what == outcome::not_permitted || result.what == outcome::unloading) {
    return result;  // at the end of the process Vulkan's driver is gone as well
  }
  const std::unique_ptr<imported_block> kept(static_cast<imported_block*>(block.handle));
  const auto dropped =
      status_of(cudaDestroyExternalMemory(kept->imported), "cudaDestroyExternalMemory");
  memory_->free(kept->from);
  return result.ok() ? dropped : result;
}

}  // namespace pinhole::platform
