// Memory that is pinned is reached by both sides, and given back.
#include <gtest/gtest.h>

#include "pinhole/core/units.hpp"
#include "pinhole/memory/pin_budget.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/unit/scenarios/lazy_backend.hpp"
#include "tests/unit/scenarios/trials.hpp"

namespace pinhole::scenarios {
namespace {

using pinhole::test::expect_error;
using pinhole::test::lazy_backend;

settings small(const device& where = device::cpu()) {
  auto asked = test::settings_for(where);
  asked.size = 20'004;
  return asked;
}

TEST(Pinning, EveryWayWorksAndIsGivenBack) {
  for (const device& where : test::all_devices()) {
    SCOPED_TRACE(where.id());
    const auto before = pin_budget::process().in_use();
    const auto results = test::run_all("pinning", small(where));
    ASSERT_EQ(results.size(), 1U);
    test::expect_all_arms(results[0], where);
    EXPECT_EQ(results[0].arms.size(), 4 + 3 * test::placements_of(small(where)));
    EXPECT_EQ(pin_budget::process().in_use(), before);
  }
}

TEST(Pinning, StaysWithinATightBudget) {
  const test::pin_limit tight(2_MiB);
  auto asked = small();
  asked.size = 1_MiB;
  const auto planned = find("pinning")->plan(asked);
  const auto made = planned.at(0).make();
  EXPECT_NE(made->notes.at(0).find("shrunk from 1 MiB"), std::string::npos);
  // More runs than pieces can be kept.
  (void)run("pinning", *made, {.repeat = 15, .seconds = 1, .progress = {}});
}

TEST(Pinning, SaysHowManyCopiesItCosts) {
  trial_result one;
  one.label = "1 MiB";
  one.arms.resize(3);
  one.arms[0].name = "copy";
  one.arms[0].median_us = 20;
  one.arms[1].name = "mapped, first";
  one.arms[1].median_us = 1000;
  one.arms[2].name = "mapped, again";
  one.arms[2].median_us = 5;
  EXPECT_EQ(find("pinning")->conclude({one}),
            std::vector<std::string>{
                "pinning 1 MiB costs as much as 50 copies of it the first time, 0.3 copies again"});
}

TEST(Pinning, NamesWhatIsWrong) {
  const auto lazy = std::make_shared<lazy_backend>(platform::make_cpu({}));
  auto asked = small();
  asked.where = platform::make_device(lazy, "lazy", "lazy");
  const auto found = wrong_arms("pinning", asked, *lazy, &lazy_backend::skips_copies);
  ASSERT_EQ(found.size(), 2U) << "both copies";
  for (const auto& one : found) {
    EXPECT_NE(one.difference.find("word 0: expected"), std::string::npos) << one.difference;
  }
}

TEST(Pinning, NoticesMemoryThatTheDeviceDoesNotReach) {
  const auto lazy = std::make_shared<lazy_backend>(platform::make_cpu({}));
  auto asked = small();
  asked.where = platform::make_device(lazy, "lazy", "lazy");
  const auto made = find("pinning")->plan(asked).at(0).make();
  unsigned noticed = 0;
  for (const auto& one : made->arms) {
    one->prepare();
    one->run();
    lazy->skips_kernels = true;
    if (const auto difference = one->check()) {
      EXPECT_NE(difference->find("as the device sees them: expected"), std::string::npos);
      ++noticed;
    }
    lazy->skips_kernels = false;
  }
  EXPECT_EQ(noticed, 2 * test::placements_of(asked)) << "what was made first and again";
}

TEST(Pinning, NoticesMemoryThatWasNotGivenBack) {
  const auto made = find("pinning")->plan(small()).at(0).make();
  for (const auto& one : made->arms) {
    // Device memory does not count as pinned.
    if (one->name().ends_with("freed") && one->placed() != placement::vram) {
      one->prepare();  // and no run, which would free it
      const auto difference = one->check();
      ASSERT_TRUE(difference.has_value()) << one->name();
      EXPECT_NE(difference->find("pinned memory: expected"), std::string::npos);
    }
  }
}

TEST(Pinning, RefusesHalfWords) {
  auto asked = small();
  asked.size = 4097;
  expect_error(fault::invalid_argument, {"--size 4097", "pinning", "multiples of 4 B"},
               [&] { (void)find("pinning")->plan(asked); });
}

}  // namespace
}  // namespace pinhole::scenarios
