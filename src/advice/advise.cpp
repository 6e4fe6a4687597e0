// Ranks what the model foresees.
#include "pinhole/advice/advise.hpp"

#include <algorithm>
#include <string>

#include "advice/cost_model.hpp"
#include "pinhole/core/error.hpp"
#include "pinhole/core/units.hpp"

namespace pinhole {

namespace {

constexpr double near_tie = 1.05;

[[noreturn]] void no_room(const access_pattern& pattern, const machine_profile& profile) {
  const bool is_budget = pattern.bytes <= profile.device_memory_bytes;
  throw error(
      {.kind = is_budget ? fault::over_budget : fault::out_of_memory,
       .asked = "place " + format_bytes(pattern.bytes),
       .call = {},
       .status = "no placement of this machine has room for it: " +
                 format_bytes(std::min(profile.pin_budget_bytes, pattern.most_pinned_bytes)) +
                 " may be pinned, and the device has " + format_bytes(profile.device_memory_bytes),
       .remedy = "raise the pin budget, or work through the data in parts",
       .sticky = false,
       .survives = {}});
}

bool is_better(const forecast& a, const forecast& b) {
  const bool a_stuck = a.problem != obstacle::none;
  const bool b_stuck = b.problem != obstacle::none;
  return a_stuck != b_stuck ? b_stuck : a.us < b.us;
}

}  // namespace

bool recommendation::is_near_tie(const forecast& one) const noexcept {
  return one.problem == obstacle::none && one.us <= best().us * near_tie;
}

recommendation advise(const access_pattern& pattern, const machine_profile& profile) {
  require_valid(pattern);
  const auto of = advice::shape_of(pattern);
  recommendation given;
  const auto add = [&](const forecast& one) {
    if (given.count_ < recommendation::most) {
      given.ranked_[given.count_++] = one;
    }
  };
  for (const auto& costs : profile.placements) {
    const auto one = advice::foresee(pattern, of, profile, costs);
    add(one);
    if (one.how == placement::staged && pattern.goal == access_goal::throughput) {
      if (const auto pieces = advice::overlapped(one, pattern, profile); pieces.overlaps) {
        add(pieces);
      }
    }
  }
  // By insertion, which is stable: of equals the one that the enumeration names first.
  const auto first = given.ranked_.begin();
  for (auto next = first; next != first + static_cast<std::ptrdiff_t>(given.count_); ++next) {
    std::rotate(std::upper_bound(first, next, *next, is_better), next, next + 1);
  }
  if (given.count_ == 0 || given.best().problem != obstacle::none) {
    no_room(pattern, profile);
  }
  given.placement = given.best().how;
  return given;
}

}  // namespace pinhole
