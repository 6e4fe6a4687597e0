// Scenario `transfer`: every arm reads what was written, and nothing else passes for it.
#include <algorithm>
#include <array>
#include <span>

#include "pinhole/core/units.hpp"
#include "scenarios/catalog.hpp"
#include "scenarios/reader.hpp"
#include "scenarios/runner.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/unit/scenarios/devices.hpp"

namespace pinhole::scenarios {
namespace {

std::vector<std::unique_ptr<trial>> trials_for(const settings& asked) {
  std::vector<std::unique_ptr<trial>> made;
  for (const auto& planned : transfer().plan(asked)) {
    made.push_back(planned.make());
  }
  return made;
}

TEST(Transfer, EveryArmFindsTheSumAndAnIdleOneIsCaught) {
  for (const auto& where : test::all_devices()) {
    for (const std::uint64_t size : {std::uint64_t{4}, std::uint64_t{52}, 64_KiB, 1_MiB}) {
      auto asked = test::settings_for(where);
      asked.size = size;
      for (const auto& made : trials_for(asked)) {
        test::expect_right_and_awake(*made, "sum of words 0 to " + std::to_string(size / 4 - 1));
      }
    }
  }
}

/// Sums in its own way what it is given, so that the reference is judged by a second one.
class mirrored_reader final : public reader {
 public:
  explicit mirrored_reader(const reading_job& job)
      : reader("mirrored", role::in_place, job), words_(job.pattern.words) {}
  void run() override {
    for (unsigned pass = 0; pass < job().passes; ++pass) {
      std::uint64_t sum = 0;
      for (std::size_t i = words_.size(); i-- > 0;) {
        sum += i % job().pattern.stride == 0 ? words_[i] : 0;
      }
      take(std::array{sum});
    }
  }
  std::span<std::uint32_t> host_words() override { return words_; }

 private:
  std::vector<std::uint32_t> words_;
};

TEST(TransferReference, AgreesWithASecondOne) {
  for (const std::size_t stride : {1U, 7U, 1024U}) {
    mirrored_reader one({.pattern = {.words = 10001, .stride = stride}, .passes = 3});
    EXPECT_EQ(test::run_once(one), std::nullopt) << stride;
  }
}

TEST(TransferReference, NoticesOneWrongWord) {
  mirrored_reader one({.pattern = {.words = 1000, .stride = 1}, .passes = 1});
  EXPECT_EQ(test::run_once(one), std::nullopt);
  one.host_words()[999] ^= 1U;
  EXPECT_NE(one.check(), std::nullopt);
}

TEST(TransferReference, NoticesTheSumOfYesterday) {
  mirrored_reader one({.pattern = {.words = 5, .stride = 2}, .passes = 1});
  one.prepare();
  const std::vector<std::uint32_t> before(one.host_words().begin(), one.host_words().end());
  one.prepare();
  const auto now = one.host_words();
  EXPECT_NE(now[0], before[0]);
  EXPECT_NE(now[4], before[4]);
}

TEST(Transfer, ShowsTheArticlesArmForWhatItIs) {
  const auto made = transfer().plan(test::settings_for(device::cpu())).front().make();
  const arm* const article = test::find_arm(*made, role::pitfall);
  ASSERT_NE(article, nullptr);
  EXPECT_EQ(static_cast<double>(article->moved().to_device), 4 * made->units);
  EXPECT_TRUE(std::ranges::any_of(made->notes, [](const std::string& note) {
    return note.find("25-36x") != std::string::npos;
  }));
}

TEST(Transfer, CountsWhatCrosses) {
  auto asked = test::settings_for(device::cpu());
  asked.size = 1_MiB;
  asked.placements = {placement::mapped};
  const auto made = trials_for(asked);
  ASSERT_EQ(made.size(), 2U);
  const auto up = [&](std::size_t i, role wanted) {
    return test::find_arm(*made[i], wanted)->moved().to_device;
  };
  EXPECT_EQ(up(0, role::in_place), 1_MiB);
  EXPECT_EQ(up(1, role::naive_copy), 1_MiB);
  EXPECT_EQ(up(1, role::expert_copy), 1_MiB);
  EXPECT_EQ(up(1, role::in_place), 32 * 256U);  // one in 1024 of 262144 words
}

TEST(Transfer, ShowsOnlyThePlacementsThatAreAskedForAndAlwaysTheOpponents) {
  auto asked = test::settings_for(device::cpu());
  asked.size = 4;
  asked.placements = {placement::registered};
  const auto made = transfer().plan(asked).front().make();
  std::vector<std::string> names;
  for (const auto& one : made->arms) {
    names.push_back(one->name());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"copy", "expert copy", "registered"}));
}

TEST(Transfer, ShrinksWhatExceedsTheBudget) {
  const test::pin_limit limit(2_MiB);
  auto asked = test::settings_for(device::cpu());
  asked.size = 64_MiB;
  const auto made = transfer().plan(asked).front().make();
  EXPECT_LT(made->units, 1e6);
  ASSERT_FALSE(made->notes.empty());
  EXPECT_NE(made->notes[0].find("shrunk from 64 MiB"), std::string::npos) << made->notes[0];
}

TEST(Transfer, RefusesSizesThatAreNoWords) {
  auto asked = test::settings_for(device::cpu());
  asked.size = 7;
  pinhole::test::expect_error(fault::invalid_argument, {"--size 7", "transfer"},
                              [&] { (void)transfer().plan(asked); });
}

trial_result measured(const std::string& label, double in_place_us, double expert_us) {
  trial_result result;
  result.label = label;
  for (const auto& [stands_for, median_us] :
       {std::pair(role::expert_copy, expert_us), std::pair(role::in_place, in_place_us)}) {
    auto& one = result.arms.emplace_back();
    one.stands_for = stands_for;
    one.median_us = median_us;
  }
  return result;
}

TEST(Transfer, ConcludesWhereTheCrossoverLies) {
  const auto lines = transfer().conclude({measured("4 B, every element", 10, 12),
                                          measured("1 MiB, every element", 40, 41),
                                          measured("256 MiB, every element", 5300, 4900),
                                          measured("256 MiB, one word in 4 KiB", 100, 4900)});
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0],
            "every element: in place is faster at 4 B to 1 MiB, the expert copy at 256 MiB");
  EXPECT_EQ(lines[1], "one word in 4 KiB: in place is faster at 256 MiB");
}

TEST(Transfer, ConcludesUpToWhichSizeTheCpuMayWriteVram) {
  auto small = measured("4 KiB, every element", 12, 13);
  auto large = measured("256 MiB, every element", 16'000, 4900);
  small.arms.back().placed = large.arms.back().placed = placement::vram;
  const auto lines = transfer().conclude({small, large});
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[1],
            "every element: the CPU writing VRAM is faster at 4 KiB, the expert copy at 256 MiB");
}

}  // namespace
}  // namespace pinhole::scenarios
