// Reads /sys/bus/pci and the NVIDIA driver's version.
#include "platform/linux/pci.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <sstream>

#include "platform/linux/host_limits.hpp"

namespace pinhole::platform {

namespace {

/// PCIe generation by the speed that sysfs prints: "32.0 GT/s PCIe".
std::optional<int> generation_from(const std::string& speed) {
  constexpr std::array<double, 6> by_generation = {2.5, 5, 8, 16, 32, 64};
  std::istringstream in(speed);
  in.imbue(std::locale::classic());
  double gigatransfers = 0;
  if (!(in >> gigatransfers)) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < by_generation.size(); ++i) {
    if (gigatransfers == by_generation.at(i)) {
      return static_cast<int>(i) + 1;
    }
  }
  return std::nullopt;
}

std::optional<int> number_from(const std::optional<std::string>& text) {
  int value = 0;
  if (!text || std::sscanf(text->c_str(), "%d", &value) != 1) {
    return std::nullopt;
  }
  return value;
}

/// The window onto device memory: the largest region behind the registers, which come first. (It is
/// BAR1 in NVIDIA's count; a 64-bit register window before it takes two lines of the file.) Each of
/// the first six lines of `resource` is one region: "first last flags".
std::optional<std::uint64_t> bar1_from(const std::string& resource) {
  std::istringstream lines(resource);
  std::string line;
  std::uint64_t largest = 0;
  for (int region = 0; region < 6 && std::getline(lines, line); ++region) {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    if (region > 0 && std::sscanf(line.c_str(), "%" SCNx64 " %" SCNx64, &first, &last) == 2 &&
        last > first) {
      largest = std::max(largest, last - first + 1);
    }
  }
  return largest > 0 ? std::optional(largest) : std::nullopt;
}

}  // namespace

pci_facts read_pci(const std::string& bus_id) {
  std::string folder = "/sys/bus/pci/devices/";
  for (const char letter : bus_id) {
    folder += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  pci_facts facts;
  const auto speed = read_system_file(folder + "/current_link_speed");
  facts.generation = generation_from(speed.value_or(""));
  facts.width = number_from(read_system_file(folder + "/current_link_width"));
  if (facts.width == 0) {
    facts.width.reset();
  }
  facts.numa_node = number_from(read_system_file(folder + "/numa_node"));
  if (facts.numa_node && *facts.numa_node < 0) {
    facts.numa_node.reset();  // -1: the firmware does not say
  }
  facts.bar1_bytes = bar1_from(read_system_file(folder + "/resource").value_or(""));
  if (!speed) {
    facts.missing = folder + " cannot be read";
  } else if (!facts.generation || !facts.width) {
    facts.missing = "the system does not say how the link runs (" + folder + ")";
  } else if (!facts.bar1_bytes) {
    facts.missing = folder + "/resource names no window onto the device's memory";
  }
  return facts;
}

std::string nvidia_driver_version() {
  auto version = read_system_file("/sys/module/nvidia/version").value_or("");
  version.erase(std::find_if(version.begin(), version.end(),
                             [](unsigned char c) { return std::isspace(c) != 0; }),
                version.end());
  return version;
}

bool has_nvidia_gpu() {
  std::error_code failed;
  const std::string folder = "/sys/bus/pci/devices";
  for (const auto& entry : std::filesystem::directory_iterator(system_root() + folder, failed)) {
    const std::string at = folder + "/" + entry.path().filename().string();
    const auto vendor = read_system_file(at + "/vendor").value_or("");
    const auto kind = read_system_file(at + "/class").value_or("");
    if (vendor.starts_with("0x10de") && kind.starts_with("0x03")) {
      return true;
    }
  }
  return false;
}

}  // namespace pinhole::platform
