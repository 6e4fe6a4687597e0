// Times pieces of work often enough, and makes figures of the times.
#pragma once

#include <functional>
#include <vector>

#include "advice/profile_fields.hpp"

namespace pinhole::advice {

/// How much time one figure may take.
struct sampling {
  unsigned least = 5;
  unsigned most = 200;
  double seconds = 0.03;
};

/// Times of run() in microseconds, after one that does not count; prepare() lies outside of them.
[[nodiscard]] std::vector<double> times_us(const sampling& how, const std::function<void()>& run,
                                           const std::function<void()>& prepare = {});

[[nodiscard]] double median_of(std::vector<double> values);

/// The median with the 10th and the 90th percentile, all within what is allowed.
[[nodiscard]] figure figure_of(std::vector<double> values, allowed_range allowed);

/// The same of `meaning(value)` for each value.
template <class Meaning>
[[nodiscard]] figure figure_of(std::vector<double> values, allowed_range allowed,
                               Meaning&& meaning) {
  for (double& one : values) {
    one = meaning(one);
  }
  return figure_of(std::move(values), allowed);
}

/// A random access costs `near_ns` within the reach of the page cache, and beyond it the share that
/// is not held there costs a walk more.
struct page_cache {
  double reach_mib = 0;
  double walk_ns = 0;
};
/// The page cache that explains best what an access cost at each footprint, smallest first. Where
/// nothing points to a walk, the reach is the largest footprint.
struct footprint_cost {
  double mib = 0;
  double ns = 0;
};
[[nodiscard]] page_cache fit_page_cache(const std::vector<footprint_cost>& measured);

}  // namespace pinhole::advice
