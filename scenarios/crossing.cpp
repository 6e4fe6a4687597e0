// Compares the bytes that arms move.
#include "scenarios/crossing.hpp"

#include <algorithm>
#include <cstdint>

#include "pinhole/core/units.hpp"

namespace pinhole::scenarios {

namespace {

/// The least that an arm of this kind moves; 0 when there is none.
std::uint64_t least_moved(const trial_result& in, role wanted) {
  std::uint64_t least = 0;
  for (const arm_result& one : in.arms) {
    const std::uint64_t moved = one.moved.to_device + one.moved.to_host;
    if (one.stands_for == wanted && (least == 0 || moved < least)) {
      least = moved;
    }
  }
  return least;
}

}  // namespace

std::vector<std::string> what_crosses(const std::vector<trial_result>& measured) {
  std::vector<std::string> lines;
  for (const trial_result& one : measured) {
    const std::uint64_t copied = least_moved(one, role::naive_copy);
    const std::uint64_t in_place = least_moved(one, role::in_place);
    if (copied > 0 && in_place > 0) {
      lines.push_back("in place " + format_bytes(in_place) + " cross the link, 1 in " +
                      std::to_string(copied / in_place) + " of the " + format_bytes(copied) +
                      " that are copied otherwise");
    }
  }
  return lines;
}

}  // namespace pinhole::scenarios
