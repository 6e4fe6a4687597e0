// Scenario `scan`: every arm finds what stands in the file now, wherever it stands.
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <vector>

#include "pinhole/core/units.hpp"
#include "pinhole/memory/mapped_buffer.hpp"
#include "scenarios/arms.hpp"
#include "scenarios/catalog.hpp"
#include "scenarios/count_pattern.hpp"
#include "scenarios/haystack.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/os.hpp"
#include "tests/unit/scenarios/devices.hpp"

namespace pinhole::scenarios {
namespace {

using pinhole::test::expect_error;

TEST(CountPattern, FindsItAtEveryPlaceInWhichItMayBegin) {
  for (const auto& where : test::all_devices()) {
    const stream work(where);
    constexpr std::size_t quads = 70;
    mapped_buffer<byte_quad> bytes(where, quads);
    auto* const letters = reinterpret_cast<char*>(bytes.host().data());
    for (std::size_t place = 0; place <= quads * 16 - 8; place += 3) {
      std::memset(letters, 'z', quads * 16);
      std::memcpy(letters + place, "zerocopy", 8);
      pattern_search what{.quads = bytes.device(), .begins = quads, .pattern = 0};
      std::memcpy(&what.pattern, "zerocopy", 8);
      for (const std::size_t begins : {quads, quads / 2}) {
        what.begins = begins;
        mapped_buffer<std::uint64_t> counts(where, blocks_for(where, what));
        bytes.to_device(work);
        counts.to_device(work);
        count_pattern(work, what, counts.device());
        counts.to_host(work);
        bytes.to_host(work);
        work.wait(patience);
        const auto found =
            std::accumulate(counts.host().begin(), counts.host().end(), std::uint64_t{0});
        ASSERT_EQ(found, place / 16 < begins ? 1U : 0U) << place << " of " << begins;
      }
    }
  }
}

TEST(Haystack, HoldsNeedlesAtBothEndsAndChangesTheirNumber) {
  std::string path;
  {
    haystack file(300'000, 1);
    path = file.path();
    EXPECT_EQ(std::filesystem::file_size(path), 300'000U);
    std::array<char, 8> first{};
    std::array<char, 8> last{};
    std::ifstream in(path, std::ios::binary);
    in.read(first.data(), 8).seekg(-8, std::ios::end).read(last.data(), 8);
    EXPECT_EQ(std::string_view(first.data(), 8), haystack::needle);
    EXPECT_EQ(std::string_view(last.data(), 8), haystack::needle);
    const auto before = file.count();
    EXPECT_GE(before, 2U);
    for (std::uint64_t spoiled = 1; spoiled <= 2; ++spoiled) {
      file.change();
      EXPECT_EQ(file.count(), before - spoiled);
    }
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Haystack, CountsWhatLiesAcrossThePiecesInWhichItIsRead) {
  const haystack file((1U << 20U) + 100, 1);
  const auto before = file.count();
  std::fstream out(file.path(), std::ios::in | std::ios::out | std::ios::binary);
  out.seekp((1U << 20U) - 12);
  out << "zerocopyzerocopy";
  out.close();
  EXPECT_GE(file.count(), before + 1);
}

TEST(Haystack, SaysWhereItCannotBeWritten) {
  const pinhole::test::temporary_folder folder;
  const pinhole::test::environment gone("TMPDIR", (folder.path() / "absent").string().c_str());
  expect_error(fault::io, {"to be scanned", "TMPDIR"}, [] { (void)haystack(16, 1); });
}

TEST(Scan, FindsAllNeedlesInEveryWayAndAnIdleArmIsCaught) {
  for (const auto& where : test::all_devices()) {
    for (const std::uint64_t size : {std::uint64_t{16}, 4_KiB + 16, 300_KiB + 48}) {
      auto asked = test::settings_for(where);
      asked.size = size;
      const auto made = scan().plan(asked).front().make();
      EXPECT_GE(made->arms.size(), where.kind() == device_kind::cpu ? 5U : 3U);
      test::expect_right_and_awake(*made, "'zerocopy'");
    }
  }
}

TEST(Scan, ShowsOnlyThePlacementsThatAreAskedForAndAlwaysTheOpponents) {
  auto asked = test::settings_for(device::cpu());
  asked.size = 16;
  asked.placements = {placement::mapped};
  const auto made = scan().plan(asked).front().make();
  EXPECT_NE(test::find_arm(*made, role::naive_copy), nullptr);
  EXPECT_NE(test::find_arm(*made, role::expert_copy), nullptr);
  EXPECT_EQ(test::find_arm(*made, role::in_place), nullptr);
}

TEST(Scan, ShrinksWhatExceedsTheBudget) {
  const test::pin_limit limit(pin_budget::process().in_use() + 4_MiB);
  auto asked = test::settings_for(device::cpu());
  asked.size = 64_MiB;
  const auto made = scan().plan(asked).front().make();
  EXPECT_LT(made->units, 4e6);
  ASSERT_FALSE(made->notes.empty());
  EXPECT_NE(made->notes[0].find("shrunk from 64 MiB"), std::string::npos) << made->notes[0];
  EXPECT_EQ(test::run_once(*made->arms.back()), std::nullopt);
}

TEST(Scan, RefusesSizesThatItCannotRead) {
  auto asked = test::settings_for(device::cpu());
  asked.size = 7;
  expect_error(fault::invalid_argument, {"--size 7", "scan"}, [&] { (void)scan().plan(asked); });
}

}  // namespace
}  // namespace pinhole::scenarios
