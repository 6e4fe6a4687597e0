// Whole ranges, read once: in place and in chunks.
#include "pinhole/kernel/stream_through.cuh"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include "pinhole/memory/any_buffer.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/faulty_backend.hpp"

namespace pinhole {
namespace {

using namespace std::chrono_literals;
using test::expect_error;
using test::primitive;

struct doubled {
  view<int> out;
  PINHOLE_HD void operator()(std::size_t i, const int& value) const { out[i] += 2 * value; }
};

class StreamThrough : public testing::Test {
 protected:
  StreamThrough() {
    where.tuning().stream_chunk_bytes = 1000;
    where.tuning().stream_by_engine_from = 1;
  }
  ~StreamThrough() override { EXPECT_EQ(where.collect(), 0U); }

  any_buffer<int> filled(std::size_t count, placement how) {
    auto made = make_buffer<int>(where, count, how);
    std::iota(made.host().begin(), made.host().end(), 1);
    made.to_device(work);
    return made;
  }
  void expect_each_once(mapped_buffer<int>& out, std::size_t count) {
    out.to_host(work);
    work.wait(60s);
    for (std::size_t i = 0; i < out.size(); ++i) {
      ASSERT_EQ(out.host()[i], i < count ? 2 * static_cast<int>(i + 1) : 0) << i << " of " << count;
    }
  }
  mapped_buffer<int> zeros(std::size_t count) {
    mapped_buffer<int> made(where, count);
    std::fill(made.host().begin(), made.host().end(), 0);
    made.to_device(work);
    return made;
  }

  std::shared_ptr<test::faulty_backend> driver =
      std::make_shared<test::faulty_backend>(platform::make_cpu({.seed = 3, .delay_us = 50}));
  device where = platform::make_device(driver, "cpu", "double");
  stream work{where};
};

TEST_F(StreamThrough, GivesEachElementOfEveryPlacementToTheFunctorOnce) {
  for (const auto how : all_placements()) {
    for (const std::size_t count : {0UL, 1UL, 250UL, 251UL, 10'000UL}) {
      SCOPED_TRACE(to_string(how));
      const auto from = filled(count, how);
      auto out = zeros(count + 1);
      stream_through(work, from, doubled{out.device()});
      expect_each_once(out, count);
    }
  }
}

TEST_F(StreamThrough, BringsChunksInBehindWhatWasQueuedBeforeAndBeforeWhatComesLater) {
  chunk_engine engine(where);
  for (const std::size_t count : {1UL, 249UL, 250UL, 251UL, 5003UL}) {
    const auto from = filled(count, placement::mapped);
    auto out = zeros(count + 1);
    driver->heal();
    stream_through(work, from, doubled{out.device()}, {.engine = &engine});
    EXPECT_EQ(driver->calls(primitive::copy_async), (count + 249) / 250);
    expect_each_once(out, count);
  }
}

TEST_F(StreamThrough, ReadsInPlaceWhatIsShortOrNear) {
  chunk_engine engine(where);
  where.tuning().stream_by_engine_from = 4000;
  const auto shorter = filled(999, placement::mapped);
  const auto near = filled(5000, placement::vram);
  auto out = zeros(5000);
  driver->heal();
  stream_through(work, shorter, doubled{out.device()}, {.engine = &engine});
  stream_through(work, near, doubled{out.device()}, {.engine = &engine});
  EXPECT_EQ(driver->calls(primitive::copy_async), 0U);
  work.wait(60s);
}

/// On the first GPU, where there is one.
TEST(StreamThroughOnTheFirstDevice, ReadsEveryPlacementInPlaceAndByChunks) {
  const auto where = device::first();
  const stream work(where);
  const auto usual = where.tuning();
  where.tuning().stream_chunk_bytes = 100'000;
  where.tuning().stream_by_engine_from = 1;
  chunk_engine engine(where);
  constexpr std::size_t count = 123'457;
  for (const auto how : all_placements()) {
    SCOPED_TRACE(to_string(how));
    try {
      (void)make_buffer<int>(where, 1, how);
    } catch (const error&) {
      continue;  // other tests say why
    }
    auto from = make_buffer<int>(where, count, how);
    std::vector<int> values(count);
    std::iota(values.begin(), values.end(), 1);
    from.write(0, values);
    from.to_device(work);
    mapped_buffer<int> out(where, 2 * count);
    std::fill(out.host().begin(), out.host().end(), 0);
    out.to_device(work);
    stream_through(work, from, doubled{out.device()});
    stream_through(work, from, doubled{out.device().subview(count, count)}, {.engine = &engine});
    stream_through(work, rows<int>(from.device(), 100, 1000), doubled{out.device()});
    out.to_host(work);
    work.wait(60s);
    for (std::size_t i = 0; i < count; ++i) {
      const int row = i < 12'400 ? static_cast<int>(2 * (i / 100 * 1000 + i % 100 + 1)) : 0;
      ASSERT_EQ(out.host()[i], 2 * static_cast<int>(i + 1) + row) << i;
      ASSERT_EQ(out.host()[count + i], 2 * static_cast<int>(i + 1)) << i;
    }
  }
  where.tuning() = usual;
}

TEST_F(StreamThrough, GoesOverTheRowsOfARectangle) {
  const auto from = filled(1000, placement::mapped);
  auto out = zeros(7 * 60 + 1);
  const auto corner = from.device().subview(5, 995);
  stream_through(work, rows<const int>(corner, 60, 142), doubled{out.device()});
  out.to_host(work);
  work.wait(60s);
  for (std::size_t i = 0; i < 7 * 60; ++i) {
    ASSERT_EQ(out.host()[i], 2 * static_cast<int>(6 + i / 60 * 142 + i % 60)) << i;
  }
  EXPECT_EQ(out.host()[7 * 60], 0);
  stream_through(work, rows<const int>(corner, 996), doubled{out.device()});  // not one row
  work.wait(60s);
}

TEST_F(StreamThrough, SurvivesTheEngineThatBringsItIn) {
  const auto from = filled(5000, placement::mapped);
  auto out = zeros(5001);
  {
    chunk_engine first(where);
    chunk_engine engine = std::move(first);
    stream_through(work, from, doubled{out.device()}, {.engine = &engine});
    expect_error(fault::invalid_argument, {"moved from"},
                 [&] { stream_through(work, from, doubled{out.device()}, {.engine = &first}); });
  }
  expect_each_once(out, 5000);
}

TEST_F(StreamThrough, ReportsEachCallThatFails) {
  const auto from = filled(1000, placement::mapped);
  auto out = zeros(1000);
  chunk_engine engine(where);
  const auto run = [&] { stream_through(work, from, doubled{out.device()}, {.engine = &engine}); };
  driver->heal();
  run();
  const auto calls = driver->calls(test::counted::commands);
  ASSERT_GT(calls, 8U);
  for (std::size_t i = 0; i < calls; ++i) {
    driver->fail_call(i, platform::outcome::failed, test::counted::commands);
    expect_error(fault::call_failed, {"injected_failure"}, run);
    EXPECT_FALSE(driver->last_error_is_set());
  }
  driver->heal();
  work.wait(60s);
  run();
  work.wait(60s);
}

TEST_F(StreamThrough, RefusesElementsLargerThanAChunkAndForeignStreams) {
  chunk_engine engine(where);
  const auto nothing = [](const stream_ref&, const std::byte*, std::size_t, std::size_t) {};
  expect_error(fault::invalid_argument, {"does not fit into a chunk", "1000 B"},
               [&] { engine.run(work, nullptr, 0, 1001, nothing); });
  const stream foreign(device::cpu());
  expect_error(fault::invalid_argument, {"engine belongs to"},
               [&] { engine.run(foreign, nullptr, 0, 4, nothing); });
}

TEST_F(StreamThrough, GivesBackWhatItTookWhenThereIsNotEnough) {
  driver->heal();
  driver->fail_call(5, platform::outcome::out_of_memory, test::counted::commands);
  const auto before = driver->live();
  expect_error(fault::out_of_memory, {}, [&] { (void)chunk_engine(where); });
  EXPECT_EQ(driver->live(), before);
}

}  // namespace
}  // namespace pinhole
