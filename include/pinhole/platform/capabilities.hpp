// What a device and its link can do, each with the reason and the remedy where it cannot.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pinhole {

/// One yes or no. For a no, `reason` says why and `remedy` what would make it a yes (it may be
/// empty where nothing would). For a yes, `reason` may hold a detail worth knowing.
struct capability {
  bool yes = false;
  std::string reason;
  std::string remedy;

  explicit operator bool() const noexcept { return yes; }
};

/// By which page tables the device reaches pageable host memory.
enum class page_tables { none, device, host };

/// Facts about a device that were read once, when it was first used.
struct capabilities {
  capability map_host_memory;          ///< kernels can read and write pinned host memory
  capability same_pointer_registered;  ///< registered memory has one address for both sides
  capability register_read_only;       ///< read-only pages can be registered
  capability managed_concurrent;       ///< CPU and GPU may touch managed memory at once
  capability pageable_access;          ///< kernels can read and write memory from plain malloc
  capability native_host_atomics;      ///< device atomics work on host memory over the link
  capability integrated;               ///< the device shares the host's memory chips
  capability vmm_on_host;              ///< virtual memory management with host memory
  capability dma_buf;                  ///< device memory can be exported as a dma-buf
  page_tables pageable_through = page_tables::none;

  std::string architecture;         ///< "sm_90"; "host threads" on the CPU device
  std::string driver_version;       ///< of the kernel driver, "580.159.04"; empty: none
  std::string cuda_driver_version;  ///< highest CUDA that the driver supports, "13.0"
  std::string runtime_version;      ///< of the CUDA runtime that was linked
  std::string uuid;                 ///< "GPU-..." or "MIG-..."; empty on the CPU device
  std::string pci_bus_id;           ///< "0000:01:00.0"; empty on the CPU device
  int multiprocessors = 0;
  std::uint64_t memory_bytes = 0;  ///< of device memory
  std::uint64_t l2_bytes = 0;
  bool is_mig = false;                      ///< a slice of a GPU
  std::optional<int> numa_node;             ///< of the host, next to the device
  std::optional<int> pcie_generation;       ///< of the link as it runs now
  std::optional<int> pcie_width;            ///< lanes of the link as it runs now
  std::optional<std::uint64_t> bar1_bytes;  ///< window through which the CPU could reach VRAM
  std::string link_unknown_reason;          ///< why generation, width or BAR1 is missing, if it is
};

/// A capability with its name and what it means, for tables.
struct named_capability {
  std::string_view name;
  std::string_view meaning;
  const capability* value;
};

/// Every capability in the order in which `pinhole info` lists them. The pointers refer to `from`.
[[nodiscard]] std::vector<named_capability> list(const capabilities& from);

}  // namespace pinhole
