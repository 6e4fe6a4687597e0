// Sparse access in every placement: rows of every size and alignment, and indices that are wrong.
#include "pinhole/access/gather.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <vector>

#include "pinhole/access/index_order.hpp"
#include "pinhole/memory/any_buffer.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/faulty_backend.hpp"

namespace pinhole {
namespace {

using namespace std::chrono_literals;
using test::expect_error;
using byte_type = unsigned char;

/// On the first GPU too, where there is one.
class Access : public testing::TestWithParam<placement> {
 protected:
  void SetUp() override {
    try {
      (void)make_buffer<int>(where, 1, GetParam());
    } catch (const error& refused) {
      GTEST_SKIP() << "waived: " << refused.what();
    }
  }
  template <class T>
  any_buffer<T> filled(std::size_t count) {
    auto made = make_buffer<T>(where, count, GetParam());
    std::vector<T> values(count);
    std::iota(values.begin(), values.end(), T{1});
    made.write(0, values);
    made.to_device(work);
    return made;
  }
  template <class T>
  mapped_buffer<T> listed(const std::vector<T>& values) {
    mapped_buffer<T> made(where, values.size());
    std::ranges::copy(values, made.host().begin());
    made.to_device(work);
    return made;
  }
  template <class T, template <class> class Buffer>
  std::vector<T> contents(Buffer<T>& from) {
    from.to_host(work);
    work.wait(60s);
    std::vector<T> values(from.size());
    from.read(0, values);
    return values;
  }

  device where = device::first();
  stream work{where};
};

std::string name_of(const testing::TestParamInfo<placement>& info) {
  return std::string(to_string(info.param));
}
INSTANTIATE_TEST_SUITE_P(Every, Access, testing::ValuesIn(all_placements()), name_of);

constexpr std::size_t row_sizes[] = {1,   3,   4,    16,   100,  127,   128,
                                     129, 512, 1412, 4096, 9001, 20'000};

TEST_P(Access, GathersRowsOfEverySize) {
  for (const std::size_t length : row_sizes) {
    for (const std::size_t offset : {0UL, 1UL, 4UL}) {  // of the table's first row
      SCOPED_TRACE(std::to_string(length) + " bytes from " + std::to_string(offset));
      auto table = filled<byte_type>(offset + 10 * length + 3);
      auto which = listed<std::uint32_t>({7, 0, 9, 7, 3});
      mapped_buffer<byte_type> out(where, 5 * length);
      std::ranges::fill(out.host(), byte_type{0});
      out.to_device(work);
      const auto used = table.device().subview(offset, table.size() - offset);
      gather(work, rows<byte_type>(used, length), which.device(), out.device());
      const auto got = contents<byte_type>(out);
      for (std::size_t i = 0; i < got.size(); ++i) {
        const auto at = offset + which.host()[i / length] * length + i % length;
        ASSERT_EQ(got[i], static_cast<byte_type>(at + 1)) << i;
      }
    }
  }
}

TEST_P(Access, ScattersRowsOfEverySizeAndTouchesNothingElse) {
  for (const std::size_t length : row_sizes) {
    for (const std::size_t offset : {0UL, 1UL, 4UL}) {
      SCOPED_TRACE(std::to_string(length) + " bytes from " + std::to_string(offset));
      const std::size_t pitch = length + 5;
      auto table = filled<byte_type>(offset + 6 * pitch);
      auto expected = std::vector<byte_type>(table.size());
      std::iota(expected.begin(), expected.end(), byte_type{1});
      auto which = listed<std::uint64_t>({4, 0, 3});
      mapped_buffer<byte_type> in(where, 3 * length);
      for (std::size_t i = 0; i < in.size(); ++i) {
        in.host()[i] = static_cast<byte_type>(200 - i);
        expected[offset + which.host()[i / length] * pitch + i % length] = in.host()[i];
      }
      in.to_device(work);
      const auto used = table.device().subview(offset, table.size() - offset);
      scatter(work, rows<byte_type>(used, length, pitch), which.device(), in.device());
      ASSERT_EQ(contents<byte_type>(table), expected);
    }
  }
}

TEST_P(Access, GathersManyRandomRows) {
  constexpr std::size_t length = 32;
  constexpr std::size_t count = 5000;
  auto table = filled<std::uint32_t>(3000 * length);
  std::vector<std::uint32_t> chosen(count);
  std::minstd_rand random(7);
  std::ranges::generate(chosen, [&] { return static_cast<std::uint32_t>(random() % 3000); });
  auto which = listed(chosen);
  for (const unsigned blocks : {0U, 2U}) {
    mapped_buffer<std::uint32_t> out(where, count * length);
    out.to_device(work);
    gather(work, rows<std::uint32_t>(table.device(), length), which.device(), out.device(),
           {.blocks = blocks});
    const auto got = contents<std::uint32_t>(out);
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(got[i], chosen[i / length] * length + i % length + 1) << i;
    }
  }
}

TEST_P(Access, GathersByWindowsWhatItGathersInOrder) {
  const auto before = where.tuning();
  where.tuning().window_from_bytes = 100'000;
  where.tuning().window_bytes = 50'000;
  constexpr std::size_t length = 25;
  auto table = filled<std::uint32_t>(5000 * length);  // ten windows
  for (const std::size_t count : {1UL, 3UL, 20'000UL}) {
    std::vector<std::uint64_t> chosen(count);
    std::minstd_rand random(static_cast<unsigned>(count));
    std::ranges::generate(chosen, [&] { return random() % 5000; });
    if (count > 3) {
      chosen[700] = 5000;
      chosen[19'999] = ~std::uint64_t{0};
    }
    auto which = listed(chosen);
    index_order order(where, count);
    access_report report(where);
    mapped_buffer<std::uint32_t> out(where, count * length);
    std::ranges::fill(out.host(), 9U);
    out.to_device(work);
    gather(work, rows<std::uint32_t>(table.device(), length), which.device(), out.device(),
           {.report = &report, .order = &order});
    const auto got = contents<std::uint32_t>(out);
    for (std::size_t i = 0; i < got.size(); ++i) {
      const auto index = chosen[i / length];
      ASSERT_EQ(got[i], index < 5000 ? index * length + i % length + 1 : 9) << i;
    }
    EXPECT_EQ(report.skipped(), count > 3 ? 2U : 0U);
    EXPECT_EQ(report.first(), count > 3 ? std::optional<std::uint64_t>(700) : std::nullopt);
  }
  where.tuning() = before;
}

TEST_P(Access, GathersScatteredBlocks) {
  constexpr std::size_t block = 10'000;
  auto table = filled<byte_type>(100'000);
  auto offsets = listed<std::uint64_t>({90'000, 0, 77, 1, 50'000});
  mapped_buffer<std::byte> out(where, 5 * block);
  out.to_device(work);
  const auto bytes = view<const std::byte>(
      reinterpret_cast<const std::byte*>(table.device().data()), table.size());
  gather_blocks(work, bytes, offsets.device(), block, out.device());
  const auto got = contents<std::byte>(out);
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto at = offsets.host()[i / block] + i % block;
    ASSERT_EQ(got[i], static_cast<std::byte>(at + 1)) << i;
  }
}

TEST_P(Access, EditsSingleElements) {
  auto table = filled<std::uint32_t>(10'000);
  std::vector<change<std::uint32_t>> list;
  auto expected = std::vector<std::uint32_t>(table.size());
  std::iota(expected.begin(), expected.end(), 1U);
  for (std::uint32_t i = 0; i < 2000; ++i) {
    list.push_back({i * 5 + 2, 1'000'000 + i});
    expected[i * 5 + 2] = 1'000'000 + i;
  }
  auto changes = listed(list);
  edit<std::uint32_t>(work, table.device(), changes.device());
  EXPECT_EQ(contents<std::uint32_t>(table), expected);
}

TEST_P(Access, SkipsAndCountsWhatIsOutOfRange) {
  constexpr std::size_t length = 3;
  auto table = filled<std::uint32_t>(100 * length + 2);  // two elements that make no row
  std::vector<std::uint64_t> chosen(3000, 5);
  chosen[17] = 100;
  chosen[40] = ~std::uint64_t{0};
  chosen[2999] = std::uint64_t{1} << 62U;
  auto which = listed(chosen);
  access_report report(where);
  mapped_buffer<std::uint32_t> out(where, chosen.size() * length);
  std::ranges::fill(out.host(), 9U);
  out.to_device(work);
  gather(work, rows<std::uint32_t>(table.device(), length), which.device(), out.device(),
         {.report = &report});
  const auto got = contents<std::uint32_t>(out);
  EXPECT_EQ(report.skipped(), 3U);
  EXPECT_EQ(report.first(), 17U);
  expect_error(fault::invalid_argument, {"look up", "3 indices", "number 17"},
               [&] { report.require_none("look up"); });
  EXPECT_EQ(got[17 * length], 9U) << "left as it was";
  EXPECT_EQ(got[16 * length], 16U);
  gather(work, rows<std::uint32_t>(table.device(), length), which.device().subview(18, 22),
         out.device(), {.report = &report});
  work.wait(60s);
  EXPECT_EQ(report.skipped(), 0U) << "a report is of the last launch";
  EXPECT_NO_THROW(report.require_none("look up"));
}

TEST_P(Access, LeavesOutBlocksAndChangesThatAreOutOfRange) {
  auto table = filled<std::uint32_t>(100);
  access_report report(where);
  auto changes = listed<change<std::uint32_t>>({{100, 1}, {99, 2}});
  edit<std::uint32_t>(work, table.device(), changes.device(), {.report = &report});
  EXPECT_EQ(contents<std::uint32_t>(table)[99], 2U);
  EXPECT_EQ(report.first(), 0U);
  table.to_device(work);
  auto offsets = listed<std::uint64_t>({360, 361, 500});
  mapped_buffer<std::byte> out(where, 120);
  out.to_device(work);
  const auto bytes =
      view<const std::byte>(reinterpret_cast<const std::byte*>(table.device().data()), 400);
  gather_blocks(work, bytes, offsets.device(), 40, out.device(), {.report = &report});
  work.wait(60s);
  EXPECT_EQ(report.skipped(), 2U);
  EXPECT_EQ(report.first(), 1U);
  gather_blocks(work, bytes.subview(0, 39), offsets.device(), 40, out.device(),
                {.report = &report});
  work.wait(60s);
  EXPECT_EQ(report.skipped(), 3U) << "no whole block anywhere";
}

TEST(IndexOrder, IsUsedForLargeTablesOnly) {
  const auto driver = std::make_shared<test::faulty_backend>(platform::make_cpu({}));
  const auto where = platform::make_device(driver, "cpu", "double");
  const stream work(where);
  mapped_buffer<int> table(where, 1000);
  mapped_buffer<std::uint32_t> which(where, 10);
  std::ranges::fill(which.host(), 3U);
  mapped_buffer<int> out(where, 10);
  index_order order(where, 10);
  for (const std::size_t from : {4001UL, 4000UL}) {
    where.tuning().window_from_bytes = from;
    where.tuning().window_bytes = 1000;
    driver->heal();
    gather(work, rows<int>(table.device()), which.device(), out.device(), {.order = &order});
    EXPECT_EQ(driver->calls(test::primitive::launch), from > 4000 ? 1U : 2U);
  }
  work.wait(60s);
}

TEST(IndexOrder, RefusesWhatItHasNoRoomForAndReportsEachCallThatFails) {
  const auto driver = std::make_shared<test::faulty_backend>(platform::make_cpu({}));
  const auto where = platform::make_device(driver, "cpu", "double");
  where.tuning().window_from_bytes = 1;
  where.tuning().window_bytes = 100;
  const stream work(where);
  mapped_buffer<int> table(where, 1000);
  mapped_buffer<std::uint32_t> which(where, 10);
  std::ranges::fill(which.host(), 3U);
  mapped_buffer<int> out(where, 10);
  expect_error(fault::invalid_argument, {"2^32"},
               [&] { (void)index_order(where, std::size_t{1} << 32U); });
  index_order small(where, 9);
  index_order order = std::move(small);
  const auto run = [&](index_order& by) {
    gather(work, rows<int>(table.device()), which.device(), out.device(), {.order = &by});
  };
  expect_error(fault::invalid_argument, {"10", "room for 9"}, [&] { run(order); });
  expect_error(fault::invalid_argument, {"moved from"}, [&] { run(small); });
  order = index_order(where, 10);
  driver->heal();
  run(order);
  const auto calls = driver->calls(test::counted::commands);
  ASSERT_GE(calls, 4U);
  for (std::size_t i = 0; i < calls; ++i) {
    driver->fail_call(i, platform::outcome::failed, test::counted::commands);
    expect_error(fault::call_failed, {"injected_failure"}, [&] { run(order); });
    EXPECT_FALSE(driver->last_error_is_set());
    work.wait(60s);
  }
  driver->heal();
  run(order);
  {
    const index_order ends_before_its_work = std::move(order);
  }
  work.wait(60s);
  EXPECT_EQ(where.collect(), 0U);
}

class AccessArguments : public testing::Test {
 protected:
  device where = device::cpu();
  stream work{where};
  mapped_buffer<int> table{where, 10};
  mapped_buffer<std::uint32_t> which{where, 4};
};

TEST_F(AccessArguments, AreCheckedBeforeAnythingIsQueued) {
  const rows<int> pairs(table.device(), 2);
  mapped_buffer<int> small(where, 7);
  expect_error(fault::invalid_argument, {"gather rows", "4 rows of 2", "7 elements"},
               [&] { gather(work, pairs, which.device(), small.device()); });
  expect_error(fault::invalid_argument, {"scatter rows", "7 elements"},
               [&] { scatter(work, pairs, which.device(), small.device()); });
  expect_error(fault::invalid_argument, {"no elements"},
               [&] { (void)rows<int>(table.device(), 0); });
  expect_error(fault::invalid_argument, {"pitch"}, [&] { (void)rows<int>(table.device(), 3, 2); });
  mapped_buffer<std::uint64_t> offsets(where, 2);
  mapped_buffer<std::byte> out(where, 15);
  expect_error(fault::invalid_argument, {"gather blocks", "no bytes"},
               [&] { gather_blocks(work, {}, offsets.device(), 0, out.device()); });
  expect_error(fault::invalid_argument, {"gather blocks", "do not fit"},
               [&] { gather_blocks(work, {}, offsets.device(), 8, out.device()); });
}

TEST_F(AccessArguments, MayBeEmpty) {
  access_report report(where);
  gather(work, rows<int>(table.device()), view<std::uint32_t>(), view<int>(), {.report = &report});
  edit<int>(work, table.device(), {});
  work.wait(60s);
  EXPECT_EQ(report.skipped(), 0U);
  EXPECT_EQ(rows<int>(view<int>(), 5).size(), 0U);
}

TEST_F(AccessArguments, CountRows) {
  EXPECT_EQ(rows<int>(table.device()).size(), 10U);
  EXPECT_EQ(rows<int>(table.device(), 3).size(), 3U);
  EXPECT_EQ(rows<int>(table.device(), 2, 4).size(), 3U) << "the last row needs no gap behind it";
  EXPECT_EQ(rows<int>(table.device(), 11).size(), 0U);
}

TEST_F(AccessArguments, WithAReportOfAnotherDeviceAreRefused) {
  if (device::first() == where) {
    GTEST_SKIP() << "waived: there is one device only";
  }
  access_report report(device::first());
  expect_error(fault::invalid_argument, {"report belongs to"}, [&] {
    gather(work, rows<int>(table.device()), which.device(), table.device(), {.report = &report});
  });
}

}  // namespace
}  // namespace pinhole
