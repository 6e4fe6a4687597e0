// The data's way between host and device, in whole and in parts.
#include "tests/conformance/buffer_conformance.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "tests/support/kernels.hpp"

namespace pinhole::test {

using namespace std::chrono_literals;

void BufferConformance::SetUp() {
  if (const auto reason = why_not_supported(kind_, where)) {
    GTEST_SKIP() << "waived: " << *reason;
  }
}

void BufferConformance::TearDown() {
  EXPECT_EQ(where.collect(), 0U);
  EXPECT_EQ(driver->live(), live_resources{});
  EXPECT_EQ(driver->wrong_releases(), 0U);
  EXPECT_TRUE(driver->peek_last_error().ok()) << driver->peek_last_error().name;
  EXPECT_EQ(pin_budget::process().in_use(), pinned_before_);
  for (const auto& complaint : complaints_.errors()) {
    ADD_FAILURE() << "a destructor complained: " << complaint.what();
  }
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(BufferConformance);
INSTANTIATE_TEST_SUITE_P(Every, BufferConformance,
                         testing::Combine(testing::ValuesIn(buffer_kinds()),
                                          testing::ValuesIn(devices_under_test())),
                         name_of);

TEST_P(BufferConformance, KnowsItsSizePlacementAndDevice) {
  const auto made = make(12);
  EXPECT_EQ(made.buffer.size(), 12U);
  EXPECT_FALSE(made.buffer.empty());
  EXPECT_EQ(made.buffer.host().size(), 12U);
  EXPECT_EQ(made.buffer.device().size(), 12U);
  EXPECT_EQ(made.buffer.placed(), kind_.placed);
  EXPECT_EQ(made.buffer.where(), where);
}

TEST_P(BufferConformance, OfNoElementsIsLegalAndEmpty) {
  const stream work(where);
  auto made = make(0);
  auto& buffer = made.buffer;
  EXPECT_EQ(buffer.size(), 0U);
  EXPECT_TRUE(buffer.empty());
  EXPECT_TRUE(buffer.host().empty());
  EXPECT_TRUE(buffer.device().empty());
  EXPECT_EQ(buffer.placed(), kind_.placed);
  EXPECT_EQ(buffer.where(), where);
  buffer.to_device(work);
  add(work, buffer.device(), 1);
  buffer.to_host(work);
  buffer.read(0, {});
  buffer.write(0, {});
  work.wait(60s);
  expect_error(fault::invalid_argument, {"past its end"}, [&] { buffer.to_device(work, 0, 1); });
}

TEST_P(BufferConformance, CarriesDataThereAndBackInEverySize) {
  const stream work(where);
  for (const std::size_t count : {1UL, 7UL, 4096UL, 1UL << 20U}) {
    SCOPED_TRACE(count);
    auto made = make(count);
    expect_round_trip(made.buffer, work);
    expect_round_trip(made.buffer, work);  // and again over the same memory
  }
}

TEST_P(BufferConformance, HandsBackOnlyTheRangeThatWasAskedFor) {
  const stream work(where);
  auto made = make(100);
  auto& buffer = made.buffer;
  std::iota(buffer.host().begin(), buffer.host().end(), 0);
  buffer.to_device(work);
  add(work, buffer.device().subview(30, 5), 1000);
  buffer.to_host(work, 30, 5);
  work.wait(60s);
  for (int i = 0; i < 100; ++i) {
    const int expected = i >= 30 && i < 35 ? i + 1000 : i;
    ASSERT_EQ(buffer.host()[static_cast<std::size_t>(i)], expected) << "element " << i;
  }
}

TEST_P(BufferConformance, HandsOverOnlyTheRangeThatWasAskedFor) {
  const stream work(where);
  auto made = make(100);
  auto& buffer = made.buffer;
  std::fill(buffer.host().begin(), buffer.host().end(), 1);
  buffer.to_device(work);
  buffer.to_host(work);
  work.wait(60s);
  std::fill_n(buffer.host().begin() + 99, 1, 7);
  buffer.to_device(work, 99, 1);
  buffer.to_device(work, 100, 0);  // the empty range at the end is legal
  add(work, buffer.device(), 10);
  buffer.to_host(work);
  work.wait(60s);
  EXPECT_EQ(std::count(buffer.host().begin(), buffer.host().end(), 11), 99);
  EXPECT_EQ(buffer.host()[99], 17);
}

TEST_P(BufferConformance, ReadsAndWritesAtAnyOffset) {
  const stream work(where);
  auto made = make(50);
  auto& buffer = made.buffer;
  std::fill(buffer.host().begin(), buffer.host().end(), 0);
  const std::array<int, 3> in = {4, 5, 6};
  buffer.write(0, in);
  buffer.write(47, in);
  buffer.write(50, {});
  buffer.to_device(work);
  add(work, buffer.device(), 1);
  buffer.to_host(work);
  work.wait(60s);
  std::array<int, 4> out = {};
  buffer.read(46, out);
  EXPECT_EQ(out, (std::array<int, 4>{1, 5, 6, 7}));
  buffer.read(0, out);
  EXPECT_EQ(out, (std::array<int, 4>{5, 6, 7, 1}));
  buffer.read(50, {});
}

TEST_P(BufferConformance, MayBeSharedOutOverTwoStreams) {
  const stream left(where);
  const stream right(where);
  auto made = make(10'000);
  auto& buffer = made.buffer;
  std::fill(buffer.host().begin(), buffer.host().end(), 1);
  buffer.to_device(left, 0, 5000);
  buffer.to_device(right, 5000, 5000);
  add(left, buffer.device().subview(0, 5000), 10);
  add(right, buffer.device().subview(5000, 5000), 20);
  buffer.to_host(left, 0, 5000);
  buffer.to_host(right, 5000, 5000);
  left.wait(60s);
  right.wait(60s);
  EXPECT_EQ(std::count(buffer.host().begin(), buffer.host().begin() + 5000, 11), 5000);
  EXPECT_EQ(std::count(buffer.host().begin() + 5000, buffer.host().end(), 21), 5000);
}

TEST_P(BufferConformance, RefusesAStreamOfAnotherDevice) {
  const auto elsewhere = platform::make_device(platform::make_cpu({}), "cpu", "another");
  const stream foreign(elsewhere);
  const stream work(where);
  auto made = make(10);
  expect_error(fault::invalid_argument, {"buffer on " + case_.id, "stream belongs to cpu"},
               [&] { made.buffer.to_device(foreign); });
  expect_error(fault::invalid_argument, {"buffer on " + case_.id, "stream belongs to cpu"},
               [&] { made.buffer.to_host(foreign, 1, 2); });
  expect_round_trip(made.buffer, work);
}

TEST_P(BufferConformance, RefusesRangesPastTheEnd) {
  constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
  const stream work(where);
  auto made = make(10);
  auto& buffer = made.buffer;
  std::array<int, 3> three = {};
  for (const auto& [first, count] : {std::pair<std::size_t, std::size_t>{0, 11},
                                     {10, 1},
                                     {11, 0},
                                     {5, 6},
                                     {most / 4, 1},
                                     {1, most / 4},
                                     {5, most / 4 - 4}}) {
    SCOPED_TRACE(std::to_string(first) + " + " + std::to_string(count));
    const auto f = first;
    const auto c = count;
    expect_error(fault::invalid_argument, {"past its end"}, [&] { buffer.to_device(work, f, c); });
    expect_error(fault::invalid_argument, {"past its end"}, [&] { buffer.to_host(work, f, c); });
  }
  // Counts that do not even fit as bytes.
  expect_error(fault::invalid_argument, {"do not fit"}, [&] { buffer.to_device(work, most, 1); });
  expect_error(fault::invalid_argument, {"do not fit"}, [&] { buffer.to_host(work, 1, most); });
  for (const std::size_t first : {8UL, 10UL, 11UL, most / 4}) {
    expect_error(fault::invalid_argument, {"read", "past its end"},
                 [&] { buffer.read(first, three); });
    expect_error(fault::invalid_argument, {"write", "past its end"},
                 [&] { buffer.write(first, three); });
  }
  expect_round_trip(buffer, work);
}

TEST_P(BufferConformance, ThatWasMovedFromRefusesEverything) {
  const stream work(where);
  auto made = make(10);
  any_buffer<int>& gone = made.buffer;
  std::array<int, 2> some = {};
  const any_buffer<int> now = std::move(gone);
  const auto refuse = [](const std::function<void()>& action) {
    expect_error(fault::moved_from, {"buffer", "moved from"}, action);
  };
  refuse([&] { (void)gone.host(); });
  refuse([&] { (void)gone.device(); });
  refuse([&] { (void)gone.placed(); });
  refuse([&] { (void)gone.where(); });
  refuse([&] { gone.to_device(work); });
  refuse([&] { gone.to_device(work, 0, 1); });
  refuse([&] { gone.to_host(work); });
  refuse([&] { gone.to_host(work, 0, 1); });
  refuse([&] { gone.read(0, some); });
  refuse([&] { gone.write(0, some); });
  EXPECT_EQ(gone.size(), 0U);
  EXPECT_TRUE(gone.empty());
  EXPECT_EQ(now.size(), 10U);
}

TEST_P(BufferConformance, MovesWithItsAddressesAndContents) {
  const stream work(where);
  auto made = make(10);
  std::iota(made.buffer.host().begin(), made.buffer.host().end(), 0);
  const auto* const host = made.buffer.host().data();
  const auto* const on_device = made.buffer.device().data();
  any_buffer<int> moved = std::move(made.buffer);
  EXPECT_EQ(moved.host().data(), host);
  EXPECT_EQ(moved.device().data(), on_device);
  EXPECT_EQ(moved.host()[9], 9);
  expect_round_trip(moved, work);
}

TEST_P(BufferConformance, MoveAssignmentReleasesWhatWasThere) {
  const stream work(where);
  auto first = make(10);
  const auto one = driver->live();
  auto second = make(20);
  first.buffer = std::move(second.buffer);
  EXPECT_EQ(first.buffer.size(), 20U);
  if (second.lender == nullptr) {
    where.collect();
    EXPECT_EQ(driver->live(), one);
  }
  expect_round_trip(first.buffer, work);
  any_buffer<int> released = std::move(first.buffer);  // before its lender, which `second` holds
}

TEST_P(BufferConformance, SurvivesAssignmentToItself) {
  const stream work(where);
  auto made = make(10);
  auto& same = made.buffer;
  made.buffer = std::move(same);
  EXPECT_EQ(made.buffer.size(), 10U);
  expect_round_trip(made.buffer, work);
}

}  // namespace pinhole::test
