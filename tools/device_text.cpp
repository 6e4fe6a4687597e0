// Says what is known, and why the rest is not.
#include "tools/device_text.hpp"

#include <fmt/format.h>

#include <vector>

#include "tools/support/failure.hpp"
#include "tools/support/nearest.hpp"

namespace pinhole::tool {

std::string link_text(const device& where) {
  if (where.kind() == device_kind::cpu) {
    return "none";
  }
  const auto& facts = where.capabilities();
  std::string text;
  if (facts.pcie_generation) {
    text += fmt::format(" {}", *facts.pcie_generation);
  }
  if (facts.pcie_width) {
    text += fmt::format(" x{}", *facts.pcie_width);
  }
  return text.empty() ? fmt::format("unknown ({})", facts.link_unknown_reason) : "PCIe" + text;
}

std::string driver_text(const device& where) {
  const auto& facts = where.capabilities();
  if (where.kind() == device_kind::cpu) {
    return "none";
  }
  return fmt::format("{}, CUDA {}", facts.driver_version.empty() ? "unknown" : facts.driver_version,
                     facts.cuda_driver_version);
}

device choose_device(const std::string& id) {
  if (id.empty()) {
    return device::first();
  }
  try {
    return find_device(id);
  } catch (const error& unknown) {
    if (unknown.kind() != fault::invalid_argument) {
      throw;
    }
  }
  std::vector<std::string> known = {"cpu"};
  for (const auto& one : device::all()) {
    if (one.kind() != device_kind::cpu) {
      known.push_back(one.id());
    }
  }
  std::string text = "--device: " + not_allowed(id, "a device of this machine", known);
  if (const auto why = device::why_no_gpu(); !why.empty()) {
    text += fmt::format(" (no GPU: {})", why);
  }
  throw failure(text);
}

}  // namespace pinhole::tool
