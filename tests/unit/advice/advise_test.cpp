// Tests of pinhole/advice/advise.hpp: the model behaves as physics does, and the words fit.
#include "pinhole/advice/advise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "pinhole/core/units.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/unit/advice/sample_profile.hpp"

namespace pinhole {
namespace {

using test::exactly;
using test::expect_error;
using test::sample_profile;

const forecast& find(const recommendation& in, placement how) {
  const auto all = in.ranking();
  const auto found =
      std::ranges::find_if(all, [how](const auto& one) { return one.how == how && !one.overlaps; });
  EXPECT_NE(found, all.end());
  return *found;
}

/// Patterns all over the space; the tests below hold for each.
std::vector<access_pattern> many_patterns() {
  std::vector<access_pattern> all;
  for (const std::uint64_t bytes : {64_KiB, 4_MiB, 1_GiB, 4_GiB}) {
    for (const std::uint64_t unit : {4U, 128U, 4096U}) {
      for (const auto order :
           {access_order::sequential, access_order::clustered, access_order::random}) {
        for (const auto host :
             {access_role::writes, access_role::reads, access_role::reads_and_writes}) {
          for (const auto device :
               {access_role::writes, access_role::reads, access_role::reads_and_writes}) {
            const auto units = bytes / unit;
            all.push_back({.bytes = bytes,
                           .touched_units = std::max<std::uint64_t>(1, units / 8),
                           .unit_bytes = unit,
                           .order = order,
                           .host = host,
                           .device = device});
          }
        }
      }
    }
  }
  return all;
}

/// After `change` no placement is faster than before.
void expect_never_faster(const std::function<void(access_pattern&)>& change) {
  const auto profile = sample_profile();
  for (const auto& pattern : many_patterns()) {
    auto more = pattern;
    change(more);
    const auto before = advise(pattern, profile);
    const auto after = advise(more, profile);
    for (const auto& one : profile.placements) {
      EXPECT_GE(find(after, one.how).us, find(before, one.how).us * (1 - 1e-9))
          << to_string(one.how) << ", " << pattern.bytes << " B, unit " << pattern.unit_bytes;
    }
  }
}

TEST(advise, takes_longer_for_more_of_anything) {
  expect_never_faster([](auto& of) { of.touched_units = *of.touched_units * 2; });
  expect_never_faster([](auto& of) { of.bytes *= 2; });
  expect_never_faster([](auto& of) { of.reads_of_each_byte = 7; });
  expect_never_faster([](auto& of) { of.link = link_traffic::busy; });
  expect_never_faster([](auto& of) { of.memory = memory_origin::pageable; });
  expect_never_faster([](auto& of) { of.calls = 10; });
}

TEST(advise, is_the_sum_of_its_terms_and_never_below_a_launch) {
  const auto profile = sample_profile();
  for (const auto& pattern : many_patterns()) {
    const auto given = advise(pattern, profile);
    for (const auto& one : given.ranking()) {
      EXPECT_DOUBLE_EQ(one.us, one.terms.sum());
      EXPECT_GE(one.us, profile.launch_wait_us.value);
    }
  }
}

TEST(advise, ranks_by_time) {
  for (const auto& pattern : many_patterns()) {
    const auto given = advise(pattern, sample_profile());
    EXPECT_TRUE(std::ranges::is_sorted(given.ranking(), {}, &forecast::us));
    EXPECT_EQ(given.placement, given.best().how);
  }
}

TEST(advise, reaches_the_rate_of_the_link_and_no_more) {
  const access_pattern all{.bytes = 1_GiB, .unit_bytes = 128, .calls = 1'000'000'000};
  const auto one = find(advise(all, sample_profile()), placement::mapped);
  const double at_the_rate = double(1_GiB) / 51e3;
  EXPECT_NEAR(one.terms.bytes, at_the_rate, 1e-6 * at_the_rate);
  EXPECT_EQ(one.terms.requests, 0);
}

TEST(advise, copies_all_and_zero_copy_only_what_is_touched) {
  const access_pattern lookups{
      .bytes = 1_GiB, .touched_units = 64, .unit_bytes = 128, .order = access_order::random};
  const auto given = advise(lookups, sample_profile());
  EXPECT_EQ(find(given, placement::mapped).bytes_to_device, 64 * 128);
  EXPECT_NE(given.placement, placement::staged);
  EXPECT_TRUE(find(given, placement::staged).copies_runs);
}

TEST(advise, copies_what_is_read_again_and_again) {
  const access_pattern weights{.bytes = 256_MiB, .reads_of_each_byte = 16};
  EXPECT_EQ(advise(weights, sample_profile()).placement, placement::vram);
  auto without_a_road = sample_profile();
  std::erase_if(without_a_road.placements,
                [](const auto& one) { return one.how == placement::vram; });
  EXPECT_EQ(advise(weights, without_a_road).placement, placement::staged);
}

TEST(advise, walks_pages_beyond_the_reach_only) {
  access_pattern lookups{.bytes = 512_MiB,
                         .touched_units = 1'000'000,
                         .unit_bytes = 128,
                         .order = access_order::random,
                         .host = access_role::none};
  EXPECT_EQ(find(advise(lookups, sample_profile()), placement::mapped).terms.page_walks, 0);
  lookups.bytes = 1400_MiB;
  const auto far = find(advise(lookups, sample_profile()), placement::mapped);
  EXPECT_NEAR(far.terms.page_walks, 1e6 * 0.5 * 22e-3, 1);  // half of a million, 22 ns each
  EXPECT_EQ(far.limit, bound::page_walks);
}

TEST(advise, knows_what_the_caches_of_the_cpu_hold) {
  const auto host_us = [](std::uint64_t bytes, access_role device) {
    const access_pattern pattern{.bytes = bytes, .device = device};
    return find(advise(pattern, sample_profile()), placement::mapped).terms.host;
  };
  EXPECT_NEAR(host_us(1_MiB, access_role::reads), double(1_MiB) / 40e3, 0.01);
  // The device's writes take it from them.
  EXPECT_NEAR(host_us(1_MiB, access_role::reads_and_writes), double(1_MiB) / 10e3, 0.03);
  EXPECT_NEAR(host_us(4_MiB, access_role::reads), double(2_MiB) / 40e3 + double(2_MiB) / 10e3,
              0.03);
}

TEST(advise, overlaps_copies_with_the_kernel_where_it_pays) {
  auto slow_kernel = sample_profile();
  slow_kernel.local_read.gb_per_s = exactly(60);
  std::erase_if(slow_kernel.placements,
                [](const auto& one) { return one.how != placement::staged; });
  const auto of = [](std::uint64_t bytes, access_goal goal) {
    return access_pattern{.bytes = bytes, .calls = 1'000'000, .goal = goal};
  };
  const auto given = advise(of(256_MiB, access_goal::throughput), slow_kernel);
  EXPECT_TRUE(given.best().overlaps);
  EXPECT_EQ(name_of(given.best()), "staged, with overlap");
  EXPECT_LT(given.best().us, find(given, placement::staged).us);
  EXPECT_FALSE(advise(of(4_KiB, access_goal::throughput), slow_kernel).best().overlaps);
  EXPECT_FALSE(advise(of(256_MiB, access_goal::latency), slow_kernel).best().overlaps);
}

TEST(advise, spreads_the_set_up_over_the_calls) {
  access_pattern once{.bytes = 1_GiB, .touched_units = 1, .calls = 1};
  const auto first = find(advise(once, sample_profile()), placement::mapped);
  EXPECT_DOUBLE_EQ(first.terms.setup, 40 + 1024 * 500);
  once.calls = 1000;
  EXPECT_DOUBLE_EQ(find(advise(once, sample_profile()), placement::mapped).terms.setup,
                   first.terms.setup / 1000);
}

TEST(advise, takes_small_buffers_from_the_pool) {
  auto profile = sample_profile();
  for (auto& costs : profile.placements) {
    costs.pooled_mib = exactly(2);
  }
  const auto setup_us = [&](std::uint64_t bytes) {
    return find(advise({.bytes = bytes}, profile), placement::mapped).terms.setup;
  };
  EXPECT_DOUBLE_EQ(setup_us(4), 40. / 1000);
  EXPECT_DOUBLE_EQ(setup_us(2_MiB), 40. / 1000);
  EXPECT_DOUBLE_EQ(setup_us(4_MiB), (40 + 2 * 500) / 1000.);
}

machine_profile profile_beside_traffic() {
  auto profile = sample_profile();
  profile.busy = busy_costs{exactly(5), exactly(3), exactly(1000), exactly(1. / 64)};
  profile.vram_fetch = vram_fetches{exactly(12), exactly(0.5)};
  return profile;
}

TEST(advise, slows_launches_and_first_accesses_beside_other_traffic) {
  const auto profile = profile_beside_traffic();
  const auto terms = [&](link_traffic link, placement how) {
    return find(advise({.bytes = 4_KiB, .link = link}, profile), how).terms;
  };
  for (const auto& one : profile.placements) {
    EXPECT_DOUBLE_EQ(terms(link_traffic::busy, one.how).launch,
                     terms(link_traffic::idle, one.how).launch + 5);
  }
  EXPECT_DOUBLE_EQ(terms(link_traffic::busy, placement::mapped).latency,
                   terms(link_traffic::idle, placement::mapped).latency + 3);
}

TEST(advise, queues_copies_behind_other_traffic_once_unless_they_are_small) {
  const auto profile = profile_beside_traffic();
  const auto queue_us = [&](std::uint64_t bytes, access_role host, access_role device,
                            placement how) {
    const access_pattern pattern{
        .bytes = bytes, .host = host, .device = device, .link = link_traffic::busy};
    return find(advise(pattern, profile), how).terms.copy_queue;
  };
  using enum access_role;
  EXPECT_DOUBLE_EQ(queue_us(16_KiB, writes, reads, placement::staged), 300);
  EXPECT_DOUBLE_EQ(queue_us(32_KiB, writes, reads, placement::staged), 1000);
  EXPECT_DOUBLE_EQ(queue_us(16_KiB, reads, writes, placement::staged), 1000);
  EXPECT_DOUBLE_EQ(queue_us(4_MiB, reads_and_writes, writes, placement::staged), 1000);
  EXPECT_DOUBLE_EQ(queue_us(4_MiB, reads, writes, placement::mapped), 0);
  EXPECT_DOUBLE_EQ(queue_us(4_KiB, reads, writes, placement::vram), 0);
  EXPECT_DOUBLE_EQ(queue_us(4_MiB, reads, writes, placement::vram), 1000);
}

TEST(advise, loads_short_runs_from_vram_and_fetches_long_ones_in_parts) {
  const auto profile = profile_beside_traffic();
  const auto host_us = [&](std::uint64_t bytes, link_traffic link) {
    const access_pattern pattern{
        .bytes = bytes, .host = access_role::reads, .device = access_role::writes, .link = link};
    return find(advise(pattern, profile), placement::vram).terms.host;
  };
  EXPECT_NEAR(host_us(4_KiB, link_traffic::idle), 2 + 4096 / 0.8e3, 1e-9);
  EXPECT_NEAR(host_us(4_KiB, link_traffic::busy), 2 * (2 + 4096 / 0.8e3), 1e-9);
  EXPECT_NEAR(host_us(128_KiB, link_traffic::idle), 2 * 12 + 131072 / 55e3, 1e-9);
  EXPECT_NEAR(host_us(128_KiB, link_traffic::busy), 2 * (12 + 5) + 131072 / 55e3, 1e-9);
}

TEST(advise, counts_what_each_pass_takes_at_least) {
  auto profile = sample_profile();
  profile.local_read.again_us = exactly(0.25);
  const auto latency_us = [&](double passes) {
    return find(advise({.bytes = 4, .reads_of_each_byte = passes}, profile), placement::vram)
        .terms.latency;
  };
  EXPECT_DOUBLE_EQ(latency_us(9), latency_us(1) + 8 * 0.25);
}

TEST(advise, puts_what_does_not_fit_last_and_says_why) {
  const access_pattern large{.bytes = 20_GiB, .touched_units = 10, .most_pinned_bytes = 1_GiB};
  const auto given = advise(large, sample_profile());
  EXPECT_EQ(given.placement, placement::vram);
  EXPECT_EQ(given.ranking().back().problem, obstacle::pin_budget);
  const auto said = reasons(given, large, sample_profile());
  EXPECT_TRUE(std::ranges::any_of(said, [](const auto& line) {
    return line.find("mapped would pin 20 GiB, and 1 GiB may be pinned") != std::string::npos;
  }));
}

TEST(advise, refuses_what_fits_nowhere) {
  const access_pattern huge{.bytes = 1024_GiB, .touched_units = 1};
  expect_error(fault::out_of_memory, {"place 1 TiB", "16 GiB may be pinned"},
               [&] { (void)advise(huge, sample_profile()); });
  const access_pattern nonsense{.bytes = 4, .touched_units = 2};
  expect_error(fault::invalid_argument, {"touched_units is 2"},
               [&] { (void)advise(nonsense, sample_profile()); });
}

TEST(advise, registers_the_users_own_memory_unless_the_kernel_writes_a_file) {
  access_pattern file{.bytes = 64_MiB,
                      .host = access_role::reads_and_writes,
                      .device = access_role::reads_and_writes,
                      .memory = memory_origin::file};
  const auto given = advise(file, sample_profile());
  EXPECT_EQ(find(given, placement::registered).problem, obstacle::written_file);
  EXPECT_EQ(find(given, placement::registered).terms.user_copy, 0);
  EXPECT_GT(find(given, placement::mapped).terms.user_copy, 0);
}

TEST(advise, names_near_ties) {
  auto profile = sample_profile();
  std::erase_if(profile.placements, [](const auto& one) { return one.how == placement::vram; });
  const access_pattern pattern{.bytes = 4_KiB, .calls = 1'000'000};
  const auto given = advise(pattern, profile);
  EXPECT_TRUE(given.is_near_tie(find(given, placement::mapped)));
  EXPECT_TRUE(given.is_near_tie(find(given, placement::registered)));
  EXPECT_FALSE(given.is_near_tie(find(given, placement::staged)));
  const auto said = reasons(given, pattern, profile);
  EXPECT_TRUE(std::ranges::any_of(said, [](const auto& line) {
    return line.starts_with("within 5 %") && line.find("registered") != std::string::npos;
  }));
}

TEST(advise, says_whether_the_machine_keeps_up) {
  access_pattern pattern{.bytes = 256_MiB, .calls_per_second = 1000};
  const auto said = reasons(advise(pattern, sample_profile()), pattern, sample_profile());
  EXPECT_TRUE(std::ranges::any_of(
      said, [](const auto& line) { return line.find("cannot keep up") != std::string::npos; }));
}

}  // namespace
}  // namespace pinhole
