// Names of placements.
#include "pinhole/memory/placement.hpp"

#include <array>

namespace pinhole {

namespace {
constexpr std::array all = {placement::staged, placement::mapped, placement::registered,
                            placement::managed, placement::vram};
}

std::string_view to_string(placement where) noexcept {
  switch (where) {
    case placement::staged:
      return "staged";
    case placement::mapped:
      return "mapped";
    case placement::registered:
      return "registered";
    case placement::managed:
      return "managed";
    case placement::vram:
      break;
  }
  return "vram";
}

std::optional<placement> placement_from(std::string_view name) noexcept {
  for (const auto one : all) {
    if (to_string(one) == name) {
      return one;
    }
  }
  return std::nullopt;
}

std::span<const placement> all_placements() noexcept {
  return all;
}

}  // namespace pinhole
