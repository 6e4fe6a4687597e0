// Edit distance, row by row.
#include "tools/support/nearest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

namespace pinhole::tool {

namespace {

std::size_t edits(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& allowed) {
  std::string best;
  std::size_t fewest = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const auto& candidate : allowed) {
    const std::size_t distance = edits(word, candidate);
    if (distance < fewest) {
      fewest = distance;
      best = candidate;
    }
  }
  return best;
}

std::string not_allowed(std::string_view word, std::string_view kind,
                        const std::vector<std::string>& allowed) {
  std::string text =
      fmt::format("'{}' is not {}; allowed: {}", word, kind, fmt::join(allowed, ", "));
  const std::string guess = nearest(word, allowed);
  return guess.empty() ? text : text + fmt::format("; did you mean '{}'?", guess);
}

}  // namespace pinhole::tool
