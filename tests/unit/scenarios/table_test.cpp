// The table: the kernel against arithmetic of the test's own, and the scenario as a whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <vector>

#include "pinhole/core/units.hpp"
#include "pinhole/memory/mapped_buffer.hpp"
#include "scenarios/table_update.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/unit/scenarios/trials.hpp"

namespace pinhole::scenarios {
namespace {

using namespace std::chrono_literals;

/// Runs the kernel once over a small table whose word number n is n * n.
struct Update : ::testing::Test {
  static constexpr std::size_t rows = 100;
  static constexpr std::uint64_t key = 42;

  Update() : table(where, rows), report(where, 1 + rows_per_call), work(where) {
    for (std::uint32_t i = 0; i < rows * words_per_row; ++i) {
      table.host()[i / words_per_row].words[i % words_per_row] = i * i;
    }
    table.to_device(work);
    report.to_device(work);
    update_rows(
        work, table.device(), key,
        {.positions = report.device().data(), .rows = report.device().subview(1, rows_per_call)});
    table.to_host(work);
    report.to_host(work);
    work.wait(10s);
  }

  device where = device::cpu();
  mapped_buffer<table_row> table;
  mapped_buffer<table_row> report;
  stream work;
};

TEST_F(Update, ReportsSixteenDifferentRowsOfTheTable) {
  std::set<std::uint32_t> positions;
  for (const std::uint32_t position : report.host()[0].words) {
    EXPECT_LT(position, rows);
    positions.insert(position);
  }
  EXPECT_EQ(positions.size(), rows_per_call);
}

TEST_F(Update, ChangesTheReportedRowsAndNoOthers) {
  std::map<std::uint32_t, std::size_t> entry_of;
  for (std::size_t i = 0; i < rows_per_call; ++i) {
    entry_of[report.host()[0].words[i]] = 1 + i;
  }
  for (std::uint32_t i = 0; i < rows * words_per_row; ++i) {
    const auto row = static_cast<std::uint32_t>(i / words_per_row);
    const std::uint64_t before = std::uint64_t{i} * i % 0x1'0000'0000U;
    const std::uint32_t word = table.host()[row].words[i % words_per_row];
    if (const auto entry = entry_of.find(row); entry != entry_of.end()) {
      EXPECT_EQ(word, (before * 1664525U + 1013904223U) % 0x1'0000'0000U) << "word " << i;
      EXPECT_EQ(word, report.host()[entry->second].words[i % words_per_row]) << "word " << i;
    } else {
      EXPECT_EQ(word, before) << "word " << i;
    }
  }
}

TEST(TableUpdate, TheSmallestTableIsChangedWhole) {
  const device where = device::cpu();
  stream work(where);
  mapped_buffer<table_row> table(where, rows_per_call + 1);
  std::ranges::fill(table.host(), table_row{});
  table.to_device(work);
  update_rows(work, table.device().subview(0, rows_per_call), 9,
              {.positions = &table.device()[rows_per_call], .rows = {}});
  table.to_host(work);
  work.wait(10s);
  for (std::uint32_t i = 0; i < rows_per_call; ++i) {
    EXPECT_EQ(table.host()[i].words[3], 1013904223U);
    EXPECT_EQ(table.host()[rows_per_call].words[i], i);
  }
}

settings small_table() {
  auto asked = test::settings_for(device::cpu());
  asked.size = 64_KiB;
  return asked;
}

TEST(Table, TheNaiveCopyMovesAllOfItAndInPlaceAFewRows) {
  const auto results = test::run_all("table", small_table());
  for (const auto& one : results.front().arms) {
    if (one.stands_for == role::naive_copy) {
      EXPECT_GE(one.moved.to_device, 64_KiB);
      EXPECT_GE(one.moved.to_host, 64_KiB);
    } else {
      EXPECT_LE(one.moved.to_device + one.moved.to_host, 4_KiB) << one.name;
    }
  }
}

TEST(Table, EveryArmIsRightAndAnIdleOneIsFoundOut) {
  test::expect_right_everywhere("table", small_table(), "expected row");
}

TEST(Table, RefusesTablesThatHoldTooFewRowsOrPartsOfRows) {
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{64}, std::uint64_t{4097}}) {
    auto asked = test::settings_for(device::cpu());
    asked.size = size;
    pinhole::test::expect_error(fault::invalid_argument,
                                {"--size " + std::to_string(size), "table"},
                                [&] { (void)find("table")->plan(asked); });
  }
}

TEST(Table, RefusesTablesOfMoreRowsThanPositionsCanName) {
  auto asked = test::settings_for(device::cpu());
  asked.size = std::uint64_t{1} << 62U;
  pinhole::test::expect_error(fault::invalid_argument, {"--size", "table"},
                              [&] { (void)find("table")->plan(asked); });
}

}  // namespace
}  // namespace pinhole::scenarios
