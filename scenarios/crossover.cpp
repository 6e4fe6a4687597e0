// Puts a series of contests into words.
#include "scenarios/crossover.hpp"

namespace pinhole::scenarios {

std::optional<double> best_us(const trial_result& of,
                              const std::function<bool(const arm_result&)>& wanted) {
  std::optional<double> best;
  for (const auto& one : of.arms) {
    if (wanted(one) && (!best || one.median_us < *best)) {
      best = one.median_us;
    }
  }
  return best;
}

std::string who_wins(std::span<const contest> series, const std::string& ours,
                     const std::string& theirs) {
  std::string sentence;
  for (std::size_t first = 0; first < series.size();) {
    const auto we_win = [&](std::size_t i) { return series[i].ours_us < series[i].theirs_us; };
    std::size_t last = first;
    while (last + 1 < series.size() && we_win(last + 1) == we_win(first)) {
      ++last;
    }
    sentence += first == 0 ? "" : ", ";
    sentence += we_win(first) ? ours : theirs;
    sentence += first == 0 ? " is faster at " : " at ";
    sentence += series[first].where + (first == last ? "" : " to " + series[last].where);
    first = last + 1;
  }
  return sentence;
}

}  // namespace pinhole::scenarios
