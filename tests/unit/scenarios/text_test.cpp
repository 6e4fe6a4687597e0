// Scenario `text`: every arm leaves the repaired text in the host's memory.
#include <algorithm>

#include "pinhole/core/units.hpp"
#include "scenarios/book.hpp"
#include "scenarios/catalog.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/unit/scenarios/devices.hpp"
#include "tests/unit/scenarios/temporary_folder.hpp"

namespace pinhole::scenarios {
namespace {

struct Text : ::testing::Test {
  settings small(const device& where) const {
    auto asked = test::settings_for(where);
    asked.text_file = folder.write("text", "The hause of a cat.\nDon't wake the zebrb!\n");
    asked.words_file = folder.write("words", "a\ncat\ndon't\nhouse\nof\nthe\nwake\nzebra\n");
    return asked;
  }
  test::temporary_folder folder;
};

TEST_F(Text, EveryArmRepairsTheTextAndAnIdleOneIsCaught) {
  for (const auto& where : test::all_devices()) {
    const auto trials = text().plan(small(where));
    ASSERT_EQ(trials.size(), 1U);
    const auto made = trials[0].make();
    test::expect_right_and_awake(*made, "word 1 (byte 5): expected 'house', got 'hause'");
  }
}

TEST_F(Text, OnlyRepairsCrossBackInPlace) {
  auto asked = small(device::cpu());
  asked.placements = {placement::mapped};
  const auto made = text().plan(asked).front().make();
  EXPECT_EQ(test::find_arm(*made, role::in_place)->moved().to_host, 2U);
  EXPECT_EQ(test::find_arm(*made, role::naive_copy)->moved().to_host, 42U);
}

TEST_F(Text, OfAFileIsTakenAsItIsAndRepeatedWhenASizeIsAskedFor) {
  auto asked = small(device::cpu());
  EXPECT_EQ(text().plan(asked).front().label, "a book of 42 B");
  asked.size = 100'000;
  const auto made = text().plan(asked).front().make();
  test::expect_right_and_awake(*made, "expected 'house', got 'hause'");
  EXPECT_EQ(test::find_arm(*made, role::naive_copy)->moved().to_device, 100'000U);
}

/// More repairs than the first part of the expert's list holds.
TEST_F(Text, WithManyRepairsTakesASecondCopyOfTheList) {
  auto asked = test::settings_for(device::cpu());
  std::string wrong;
  for (int i = 0; i < 10'000; ++i) {
    wrong += "zebrb ";
  }
  asked.text_file = folder.write("text", wrong);
  asked.words_file = folder.write("words", "zebra\n");
  for (const auto& where : test::all_devices()) {
    asked.where = where;
    const auto made = text().plan(asked).front().make();
    test::expect_right_and_awake(*made, "word 0 (byte 4): expected 'zebra', got 'zebrb'");
  }
}

TEST_F(Text, OfTheGplAndTheRealListIsRepairedByEveryArm) {
  auto asked = test::settings_for(device::cpu());
  asked.size = 100'000;
  book_sources from;
  try {
    from = read_book_sources(asked);
  } catch (const error& missing) {
    GTEST_SKIP() << "waived: " << missing.what();
  }
  EXPECT_GT(from.words.size(), 50'000U);
  for (const auto& where : test::all_devices()) {
    asked.where = where;
    const auto made = text().plan(asked).front().make();
    EXPECT_NE(made->notes.back().find("5 letters were substituted"), std::string::npos);
    test::expect_right_and_awake(*made, "expected '");
  }
}

TEST_F(Text, RefusesAListWithoutWords) {
  auto asked = small(device::cpu());
  asked.words_file = folder.write("numbers", "1\n2\n");
  pinhole::test::expect_error(fault::invalid_argument, {"--words", "numbers", "one word a line"},
                              [&] { (void)text().plan(asked); });
}

TEST_F(Text, RefusesFilesByTheirOption) {
  auto asked = small(device::cpu());
  asked.text_file = "/nowhere/text";
  pinhole::test::expect_error(fault::io, {"--text /nowhere/text", "does not exist"},
                              [&] { (void)text().plan(asked); });
  asked = small(device::cpu());
  asked.words_file = "/nowhere/words";
  pinhole::test::expect_error(fault::io, {"--words /nowhere/words", "does not exist"},
                              [&] { (void)text().plan(asked); });
}

TEST_F(Text, RefusesTextsThatPositionsCannotReach) {
  auto asked = small(device::cpu());
  asked.size = 4_GiB;
  if (asked.where.capabilities().memory_bytes < *asked.size) {
    GTEST_SKIP() << "waived: the machine has less than 4 GiB, and says so first";
  }
  pinhole::test::expect_error(fault::invalid_argument, {"--size 4294967296", "less than 4 GiB"},
                              [&] { (void)text().plan(asked); });
}

}  // namespace
}  // namespace pinhole::scenarios
