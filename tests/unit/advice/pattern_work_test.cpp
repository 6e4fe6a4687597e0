// Tests of advice/pattern_work.hpp and advice/touch.hpp.
#include "advice/pattern_work.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "pinhole/core/units.hpp"
#include "pinhole/memory/any_buffer.hpp"
#include "tests/support/expect_error.hpp"

namespace pinhole::advice {
namespace {

TEST(run_order, is_made_of_distinct_runs_that_fit) {
  for (const std::uint32_t all : {1U, 2U, 3U, 64U, 1000U, 65537U}) {
    for (const std::uint32_t runs : {1U, all / 3 + 1, all}) {
      const run_order order(runs, all, 7);
      std::set<std::uint64_t> seen;
      for (std::uint32_t i = 0; i < runs; ++i) {
        EXPECT_LT(order[i], all);
        seen.insert(order[i]);
      }
      EXPECT_EQ(seen.size(), runs) << runs << " of " << all;
    }
  }
}

TEST(run_order, does_not_go_up_or_down) {
  const run_order order(1000, 1U << 20U, 1);
  unsigned rises = 0;
  for (std::uint32_t i = 1; i < order.size(); ++i) {
    rises += order[i] > order[i - 1] ? 1 : 0;
  }
  EXPECT_GT(rises, 300U);
  EXPECT_LT(rises, 700U);
}

using test::expect_error;

TEST(plan_of, takes_whole_words_only) {
  expect_error(fault::invalid_argument, {"units of 6 B", "whole words"},
               [] { (void)plan_of({.bytes = 60, .unit_bytes = 6}, 1); });
}

std::vector<access_pattern> patterns() {
  std::vector<access_pattern> all;
  for (const auto order :
       {access_order::sequential, access_order::clustered, access_order::random}) {
    for (const auto host : {access_role::none, access_role::reads, access_role::writes,
                            access_role::reads_and_writes}) {
      for (const auto device :
           {access_role::reads, access_role::writes, access_role::reads_and_writes}) {
        for (const std::uint64_t unit : {4U, 4096U}) {
          all.push_back({.bytes = 64_KiB,
                         .touched_units = 64_KiB / unit / 3,
                         .unit_bytes = unit,
                         .order = order,
                         .host = host,
                         .device = device,
                         .reads_of_each_byte = 3});
        }
      }
    }
  }
  return all;
}

TEST(pattern_work, does_every_pattern_in_every_placement) {
  const auto where = device::cpu();
  const stream work(where);
  for (const auto how : all_placements()) {
    auto words = make_buffer<std::uint32_t>(where, 64_KiB / 4, how);
    for (const auto& pattern : patterns()) {
      for (const bool copies_runs : {false, true}) {
        if (copies_runs && (how != placement::staged || pattern.unit_bytes == 4)) {
          continue;
        }
        pattern_work calls(work, words, pattern, copies_runs, 5);
        for (int i = 0; i < 2; ++i) {
          calls.prepare();
          calls.call();
          EXPECT_EQ(calls.check(), std::nullopt)
              << to_string(how) << ", " << to_string(pattern.order) << ", unit "
              << pattern.unit_bytes << ", host " << to_string(pattern.host) << ", device "
              << to_string(pattern.device) << ", runs " << copies_runs;
        }
      }
    }
  }
}

/// The control: what somebody else changes is seen.
TEST(pattern_work, notices_words_that_are_not_as_they_should_be) {
  const auto where = device::cpu();
  const stream work(where);
  mapped_buffer<std::uint32_t> words(where, 1024);
  pattern_work calls(work, words, {.bytes = 4096, .unit_bytes = 4, .host = access_role::reads},
                     false, 1);
  words.host()[0] += 1;
  calls.prepare();
  calls.call();
  EXPECT_NE(calls.check(), std::nullopt);
}

}  // namespace
}  // namespace pinhole::advice
