// The list of scenarios, and what their settings mean.
#include "scenarios/scenario.hpp"

#include <algorithm>

#include "scenarios/catalog.hpp"

namespace pinhole::scenarios {

std::string_view to_string(role of) noexcept {
  switch (of) {
    case role::naive_copy:
      return "naive_copy";
    case role::expert_copy:
      return "expert_copy";
    case role::in_place:
      return "in_place";
    case role::bare:
      return "bare";
    case role::pitfall:
      return "pitfall";
  }
  return "unknown";
}

bool settings::wants(placement how) const {
  return placements.empty() || std::ranges::find(placements, how) != placements.end();
}

const std::vector<const scenario*>& all() {
  static const std::vector<const scenario*> list = {
      &transfer(),  &flag(),    &text(),  &roundtrip(), &table(),     &pixels(), &matrix(),
      &alternate(), &compute(), &video(), &pinning(),   &coherence(), &lookup(), &scan()};
  return list;
}

const scenario* find(std::string_view name) {
  const auto found = std::ranges::find(all(), name, &scenario::name);
  return found == all().end() ? nullptr : *found;
}

}  // namespace pinhole::scenarios
