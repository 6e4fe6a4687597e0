// Tests of advice/sampling.hpp.
#include "advice/sampling.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace pinhole::advice {
namespace {

TEST(sampling, figures_are_medians_with_percentiles) {
  const auto of = figure_of({9, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11}, any_time_us);
  EXPECT_EQ(of.value, 6);
  EXPECT_EQ(of.low, 2);
  EXPECT_EQ(of.high, 10);
}

TEST(sampling, figures_stay_within_what_a_profile_may_hold) {
  const auto of = figure_of({-3, std::nan(""), std::numeric_limits<double>::infinity()}, any_share);
  EXPECT_EQ(of.low, 0);
  EXPECT_EQ(of.value, 1);
  EXPECT_EQ(figure_of({}, any_rate).value, any_rate.least);
}

TEST(sampling, runs_at_least_as_often_as_is_asked_and_prepares_each_run) {
  unsigned runs = 0;
  unsigned prepared = 0;
  const auto times =
      times_us({.least = 7, .most = 7, .seconds = 0}, [&] { ++runs; }, [&] { ++prepared; });
  EXPECT_EQ(times.size(), 7U);
  EXPECT_EQ(runs, 8U);  // the first does not count
  EXPECT_EQ(prepared, runs);
}

TEST(sampling, finds_the_reach_of_a_page_cache) {
  // What an H200 was seen to do: flat up to some 700 MiB, then a walk of 22 ns for what is beyond.
  const auto cost = [](double mib) {
    return footprint_cost{mib, 2.5 + std::max(0., 1 - 700 / mib) * 22};
  };
  const auto found = fit_page_cache({cost(256), cost(512), cost(1024), cost(2048), cost(4096)});
  EXPECT_NEAR(found.reach_mib, 700, 35);
  EXPECT_NEAR(found.walk_ns, 22, 1);
}

TEST(sampling, sees_no_page_cache_in_noise) {
  const auto found = fit_page_cache({{256, 2.5}, {512, 2.45}, {1024, 2.6}, {2048, 2.55}});
  EXPECT_EQ(found.reach_mib, 2048);
  EXPECT_EQ(found.walk_ns, 0);
  EXPECT_EQ(fit_page_cache({{256, 2.5}}).walk_ns, 0);
}

}  // namespace
}  // namespace pinhole::advice
