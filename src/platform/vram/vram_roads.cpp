// Asks the device, and says it in one sentence.
#include "pinhole/platform/vram_roads.hpp"

#include "platform/platform.hpp"

namespace pinhole {

std::vector<vram_road> vram_roads(const device& where) {
  std::vector<vram_road> roads;
  auto& driver = where.backend();
  platform::require(driver, driver.vram_roads(roads),
                    "find a road from the CPU to the memory of " + where.id());
  return roads;
}

capability summary(const std::vector<vram_road>& roads) {
  capability none;
  for (const auto& one : roads) {
    if (one.open) {
      const auto& detail = one.open.reason;
      return {true, "through " + one.name + (detail.empty() ? "" : " (" + detail + ")"),
              one.open.remedy};
    }
    none.reason += (none.reason.empty() ? "" : "; ") + one.name + ": " + one.open.reason;
    if (!one.open.remedy.empty()) {
      none.remedy += (none.remedy.empty() ? "" : "; or for " + one.name + ", ") + one.open.remedy;
    }
  }
  return none;
}

capability vram_in_cpu_address_space(const device& where) {
  return summary(vram_roads(where));
}

}  // namespace pinhole
