// Who waits by the rules reads what the device wrote; who does not, does not.
#include <gtest/gtest.h>

#include <atomic>

#include "pinhole/memory/mapped_buffer.hpp"
#include "scenarios/publish.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/unit/scenarios/lazy_backend.hpp"
#include "tests/unit/scenarios/trials.hpp"

namespace pinhole::scenarios {
namespace {

using namespace std::chrono_literals;
using pinhole::test::expect_error;
using pinhole::test::lazy_backend;

void expect_flag_after_words(const device& where) {
  const stream work(where);
  mapped_buffer<std::uint32_t> result(where, 1000);
  mapped_buffer<std::uint32_t> flag(where, 1);
  flag.host()[0] = 0;
  publish(work, result.device(), flag.device(), 7);
  while (std::atomic_ref(flag.host()[0]).load(std::memory_order_acquire) != 7) {
  }
  // Not waited for: the flag alone says that the words are there.
  std::uint32_t expected = 7 * 2654435761U + static_cast<std::uint32_t>(scramble(0));
  EXPECT_EQ(result.host()[0], expected);
  for (std::size_t i = 0; i < result.size(); ++i) {
    ASSERT_EQ(result.host()[i] - static_cast<std::uint32_t>(scramble(i)),
              expected - static_cast<std::uint32_t>(scramble(0)))
        << "word " << i;
  }
  work.wait(10s);
}

TEST(Publish, WritesEveryWordAndThenTheFlag) {
  for (const device& where : test::all_devices()) {
    SCOPED_TRACE(where.id());
    expect_flag_after_words(where);
  }
}

TEST(Publish, LeavesTheFlagAloneWhereThereIsNone) {
  const auto cpu = device::cpu();
  const stream work(cpu);
  mapped_buffer<std::uint32_t> result(cpu, 2);
  publish(work, result.device(), {}, 3);
  work.wait(10s);
  EXPECT_EQ(result.host()[1], result_word(3, 1));
  EXPECT_NE(result_word(3, 1), result_word(4, 1));
}

double stale_reads(const arm_result& of) {
  return of.metrics.at(0).value;
}

TEST(Coherence, NoReadIsStaleWhereTheRulesAreKept) {
  // Work comes late on this device, so that whoever does not wait is caught.
  auto asked = test::settings_for(
      platform::make_device(platform::make_cpu({.seed = 1, .delay_us = 200}), "late", "late"));
  asked.size = 64;
  const auto results = test::run_all("coherence", asked);
  ASSERT_EQ(results.size(), 1U);
  test::expect_all_arms(results[0], asked.where);
  for (const auto& one : results[0].arms) {
    if (one.stands_for == role::pitfall) {
      EXPECT_GT(stale_reads(one), 50) << "of 100 reads without waiting";
    } else {
      EXPECT_EQ(stale_reads(one), 0) << one.name;
    }
  }
}

TEST(Coherence, NoReadIsStaleOnAnyDevice) {
  for (const device& where : test::all_devices()) {
    SCOPED_TRACE(where.id());
    (void)test::run_all("coherence", test::settings_for(where));
  }
}

TEST(Coherence, NamesTheWordThatIsStale) {
  const auto lazy = std::make_shared<lazy_backend>(platform::make_cpu({}));
  auto asked = test::settings_for(platform::make_device(lazy, "lazy", "lazy"));
  asked.size = 64;
  const auto found = wrong_arms("coherence", asked, *lazy, &lazy_backend::skips_kernels);
  // Of each placement two ways to wait, of those in host memory the flag, two copies, the pitfall.
  EXPECT_EQ(found.size(), 2 * test::placements_of(asked) + 2 + 2 + 1);
  for (const auto& one : found) {
    const bool has_flag = one.arm.ends_with("flag");
    EXPECT_NE(one.difference.find(has_flag ? "the kernel ended without raising its flag"
                                           : "word 0 of the result of turn 1: expected"),
              std::string::npos)
        << one.arm << ": " << one.difference;
  }
}

TEST(Coherence, RefusesHalfWords) {
  auto asked = test::settings_for(device::cpu());
  asked.size = 6;
  expect_error(fault::invalid_argument, {"--size 6", "coherence", "multiples of 4 B"},
               [&] { (void)find("coherence")->plan(asked); });
}

}  // namespace
}  // namespace pinhole::scenarios
