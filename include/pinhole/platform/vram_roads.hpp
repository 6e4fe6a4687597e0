// By which road the CPU reaches the memory of a device, and why the other roads are closed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pinhole/platform/capabilities.hpp"
#include "pinhole/platform/device.hpp"

namespace pinhole {

/// One way to bring device memory into the CPU's address space.
struct vram_road {
  std::string name;                ///< "Vulkan"
  capability open;                 ///< closed: what is lacking, and what would open it
  std::uint64_t window_bytes = 0;  ///< how much of the device fits through; 0: unknown
};

/// All roads in the order in which they are tried; the first open one is taken. The first call on a
/// device tries each of them with real memory, which takes tens of milliseconds; later calls answer
/// from memory. Throws what the driver reports.
[[nodiscard]] std::vector<vram_road> vram_roads(const device& where);

/// The same in one answer: yes, with "through Vulkan" as the reason; or no, with what each road
/// lacked, and what would open one of them.
[[nodiscard]] capability vram_in_cpu_address_space(const device& where);
[[nodiscard]] capability summary(const std::vector<vram_road>& roads);

}  // namespace pinhole
