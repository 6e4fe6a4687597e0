// Sizes that can't be, and sizes that the pin budget shrinks.
#include "scenarios/sizes.hpp"

#include "pinhole/core/units.hpp"
#include "pinhole/memory/mapped_buffer.hpp"
#include "scenarios/arms.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/unit/scenarios/devices.hpp"

namespace pinhole::scenarios {
namespace {

settings asking_for(std::uint64_t size) {
  auto asked = test::settings_for(device::cpu());
  asked.size = size;
  return asked;
}

void expect_refused(std::uint64_t size, std::initializer_list<std::string_view> parts) {
  pinhole::test::expect_error(fault::invalid_argument, parts,
                              [&] { (void)asked_size(asking_for(size), "transfer", 4); });
}

TEST(Sizes, AreEmptyWhenNoneIsAskedFor) {
  EXPECT_EQ(asked_size(test::settings_for(device::cpu()), "transfer", 4), std::nullopt);
}

TEST(Sizes, AreTakenAsTheyAreAskedFor) {
  EXPECT_EQ(asked_size(asking_for(4096), "transfer", 4), 4096U);
}

TEST(Sizes, OfNothingOrOfPartsOfAWordAreRefused) {
  expect_refused(0, {"--size 0", "transfer", "multiples of 4 B"});
  expect_refused(6, {"--size 6", "multiples of 4 B"});
}

TEST(Sizes, BeyondTheDevicesMemoryAreRefused) {
  expect_refused(1ULL << 62U, {"--size 4611686018427387904", "cpu has", "of memory"});
  // Either copy would fit, but not both.
  const std::uint64_t memory = device::cpu().capabilities().memory_bytes;
  expect_refused((memory / 2 + 4) / 4 * 4, {"cpu has", "for its copy and the host's"});
}

TEST(FitToBudget, LeavesWhatFits) {
  std::vector<std::string> notes;
  const test::pin_limit limit(64_MiB);
  EXPECT_EQ(fit_to_budget(1_MiB, 4, notes), 1_MiB);
  EXPECT_TRUE(notes.empty());
}

TEST(FitToBudget, ShrinksToWhatAllCopiesFitIntoAndSaysSo) {
  std::vector<std::string> notes;
  const test::pin_limit limit(4_MiB);
  const std::uint64_t fits = fit_to_budget(64_MiB, 3, notes);
  EXPECT_LT(3 * fits, 4_MiB);
  EXPECT_GT(3 * fits, 3_MiB);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("from 64 MiB"), std::string::npos) << notes[0];
  EXPECT_NE(notes[0].find("--pin-limit"), std::string::npos) << notes[0];
}

TEST(FitToBudget, CountsWhatIsInUse) {
  std::vector<std::string> notes;
  const test::pin_limit limit(4_MiB);
  const std::uint64_t before = fit_to_budget(64_MiB, 2, notes);
  const mapped_buffer<char> in_use(device::cpu(), 1_MiB);
  EXPECT_EQ(fit_to_budget(64_MiB, 2, notes), before - 512_KiB);
}

TEST(FitToBudget, RefusesWhenNotEvenAPageFits) {
  std::vector<std::string> notes;
  const test::pin_limit limit(4_KiB);
  pinhole::test::expect_error(fault::over_budget, {"4 KiB", "--pin-limit"},
                              [&] { (void)fit_to_budget(4, 2, notes); });
}

TEST(PinnedAmong, CountsAllButTheMemoryOfTheDevice) {
  EXPECT_EQ(pinned_among({}), 0U);
  EXPECT_EQ(pinned_among({placement::mapped, placement::registered, placement::vram}), 2U);
}

}  // namespace
}  // namespace pinhole::scenarios
