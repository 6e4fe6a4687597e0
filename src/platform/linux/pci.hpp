// What sysfs says about a PCI device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace pinhole::platform {

struct pci_facts {
  std::optional<int> generation;  ///< of the link as it runs now
  std::optional<int> width;
  std::optional<int> numa_node;
  std::optional<std::uint64_t> bar1_bytes;
  std::string missing;  ///< why something is missing; empty when nothing is
};

/// `bus_id` as in "0000:01:00.0", in any case.
[[nodiscard]] pci_facts read_pci(const std::string& bus_id);

/// The version of the NVIDIA kernel driver, "580.159.04"; empty where none is loaded.
[[nodiscard]] std::string nvidia_driver_version();
/// True when a PCI device of NVIDIA's that is a display or 3D controller is there, driver or not.
[[nodiscard]] bool has_nvidia_gpu();

}  // namespace pinhole::platform
