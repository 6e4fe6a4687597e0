// Medians and percentiles, and one small fit.
#include "advice/sampling.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace pinhole::advice {

namespace {

using clock = std::chrono::steady_clock;

/// Nearest rank; `sorted` is not empty.
double ranked(const std::vector<double>& sorted, double share) {
  const auto rank = static_cast<std::size_t>(share * static_cast<double>(sorted.size()));
  return sorted[std::min(rank, sorted.size() - 1)];
}

}  // namespace

std::vector<double> times_us(const sampling& how, const std::function<void()>& run,
                             const std::function<void()>& prepare) {
  std::vector<double> times;
  const auto began = clock::now();
  const auto is_enough = [&] {
    const std::chrono::duration<double> spent = clock::now() - began;
    return times.size() >= how.most || (times.size() >= how.least && spent.count() > how.seconds);
  };
  for (bool counts = false; !counts || !is_enough(); counts = true) {
    if (prepare) {
      prepare();
    }
    const auto start = clock::now();
    run();
    const std::chrono::duration<double, std::micro> took = clock::now() - start;
    if (counts) {
      times.push_back(took.count());
    }
  }
  return times;
}

double median_of(std::vector<double> values) {
  if (values.empty()) {
    return 0;
  }
  std::ranges::sort(values);
  return ranked(values, 0.5);
}

figure figure_of(std::vector<double> values, allowed_range allowed) {
  for (double& one : values) {
    // Differences of times that nearly equal each other may be anything.
    one = std::isfinite(one) ? std::clamp(one, allowed.least, allowed.most) : allowed.most;
  }
  if (values.empty()) {
    values.push_back(allowed.least);
  }
  std::ranges::sort(values);
  return {.value = ranked(values, 0.5), .low = ranked(values, 0.1), .high = ranked(values, 0.9)};
}

page_cache fit_page_cache(const std::vector<footprint_cost>& measured) {
  if (measured.empty()) {
    return {};
  }
  const double near_ns = measured.front().ns;
  const double largest = measured.back().mib;
  page_cache best{.reach_mib = largest, .walk_ns = 0};
  double least_error = std::numeric_limits<double>::infinity();
  // Every reach that was measured, in steps of 5 %; the walk that fits it follows by least squares.
  for (double reach = measured.front().mib; reach < largest; reach *= 1.05) {
    double beyond_ns = 0;
    double beyond = 0;
    for (const auto& one : measured) {
      const double share = std::max(0., 1 - reach / one.mib);
      beyond_ns += share * (one.ns - near_ns);
      beyond += share * share;
    }
    const double walk = std::max(0., beyond_ns / beyond);
    double error = 0;
    for (const auto& one : measured) {
      error += std::pow(near_ns + std::max(0., 1 - reach / one.mib) * walk - one.ns, 2);
    }
    if (error < least_error) {
      least_error = error;
      best = {.reach_mib = reach, .walk_ns = walk};
    }
  }
  // A tenth more at the largest footprint is noise, not a cliff.
  const double steepest = best.walk_ns * (1 - best.reach_mib / largest);
  return steepest > near_ns / 10 ? best : page_cache{.reach_mib = largest, .walk_ns = 0};
}

}  // namespace pinhole::advice
