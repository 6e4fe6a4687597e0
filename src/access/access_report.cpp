// Adds up what the blocks of a launch left out.
#include "pinhole/access/access_report.hpp"

#include <algorithm>

#include "pinhole/core/error.hpp"

namespace pinhole {

access_report::access_report(const device& where) : of_block_(where, most_blocks) {}

std::uint64_t access_report::skipped() const {
  std::uint64_t sum = 0;
  for (const auto& one : of_block_.host().first(blocks_)) {
    sum += one.skipped;
  }
  return sum;
}

std::optional<std::uint64_t> access_report::first() const {
  std::uint64_t least = ~std::uint64_t{0};
  for (const auto& one : of_block_.host().first(blocks_)) {
    least = std::min(least, one.first);
  }
  return skipped() > 0 ? std::optional(least) : std::nullopt;
}

void access_report::require_none(const std::string& asked) const {
  if (const auto position = first()) {
    detail::reject(asked, std::to_string(skipped()) +
                              " indices are out of range, and the first of them is number " +
                              std::to_string(*position) + " of the list");
  }
}

}  // namespace pinhole
