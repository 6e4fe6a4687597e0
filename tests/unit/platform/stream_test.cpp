// Streams of the CPU device: order, waiting, deadlines, failures.
#include "pinhole/platform/stream.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "pinhole/platform/launch.hpp"
#include "platform/platform.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/faulty_backend.hpp"
#include "tests/support/gate.hpp"

namespace pinhole {
namespace {

using namespace std::chrono_literals;
using test::expect_error;

static_assert(!std::is_copy_constructible_v<stream> && !std::is_copy_assignable_v<stream>);
static_assert(std::is_nothrow_move_constructible_v<stream>);
static_assert(std::is_copy_constructible_v<stream_ref>);

/// Queues `what` as a kernel of one block.
void queue(const stream_ref& work, std::function<void()> what) {
  launch_request request;
  request.name = "queued";
  request.cpu_block = [what = std::move(what)](unsigned, unsigned) { what(); };
  launch(work, request);
}

TEST(Stream, RunsWorkInOrderAndLater) {
  for (const unsigned delay_us : {0U, 300U}) {
    const stream work(platform::make_device(platform::make_cpu({.seed = 3, .delay_us = delay_us}),
                                            "cpu", "delayed"));
    std::vector<int> order;
    for (int i = 0; i < 10; ++i) {
      queue(work, [&order, i] { order.push_back(i); });
    }
    work.wait(10s);
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  }
}

TEST(Stream, QueuesWithoutRunningOnTheCallersThread) {
  const stream work(device::cpu());
  std::thread::id ran_on;
  queue(work, [&] { ran_on = std::this_thread::get_id(); });
  work.wait(10s);
  EXPECT_NE(ran_on, std::thread::id());
  EXPECT_NE(ran_on, std::this_thread::get_id());
}

TEST(Stream, IsDoneOnlyWhenAllItsWorkIs) {
  const stream work(device::cpu());
  EXPECT_TRUE(work.is_done());
  test::gate closed(work);
  EXPECT_FALSE(work.is_done());
  closed.open();
  work.wait(10s);
  EXPECT_TRUE(work.is_done());
}

TEST(Stream, WaitForNoTimeAsksOnce) {
  const stream work(device::cpu());
  EXPECT_NO_THROW(work.wait(0s));
  test::gate closed(work);
  expect_error(fault::timed_out, {"cannot wait", "0 ns"}, [&] { work.wait(0s); });
}

TEST(Stream, WaitEndsAtItsDeadlineAndTheWorkGoesOn) {
  const stream work(device::cpu());
  test::gate closed(work);
  std::atomic<bool> ran = false;
  queue(work, [&] { ran = true; });
  const auto start = std::chrono::steady_clock::now();
  expect_error(fault::timed_out, {"on cpu", "30 ms", "wait again"}, [&] { work.wait(30ms); });
  EXPECT_GE(std::chrono::steady_clock::now() - start, 30ms);
  EXPECT_FALSE(ran);
  closed.open();
  work.wait(10s);
  EXPECT_TRUE(ran);
}

TEST(Stream, WaitRefusesNegativeAndEndlessDeadlines) {
  const stream work(device::cpu());
  expect_error(fault::invalid_argument, {"negative"}, [&] { work.wait(-1ms); });
  expect_error(fault::invalid_argument, {"292 years"},
               [&] { work.wait(std::chrono::hours::max()); });
  EXPECT_NO_THROW(work.wait(std::chrono::nanoseconds(9'000'000'000'000'000'000)));
}

TEST(Stream, WaitThrowsWhatTheWorkThrewOnce) {
  const stream work(device::cpu());
  queue(work, [] { throw std::runtime_error("index 7 is bad"); });
  expect_error(fault::call_failed, {"queued", "index 7 is bad"}, [&] { work.wait(10s); });
  EXPECT_NO_THROW(work.wait(10s));
  queue(work, [] { throw 7; });
  expect_error(fault::call_failed, {"queued"}, [&] {
    while (!work.is_done()) {
    }
  });
}

TEST(Stream, RunsLaterWorkAfterAFailure) {
  const stream work(device::cpu());
  std::atomic<bool> ran = false;
  queue(work, [] { throw std::runtime_error("bad"); });
  queue(work, [&] { ran = true; });
  EXPECT_THROW(work.wait(10s), error);
  work.wait(10s);
  EXPECT_TRUE(ran);
}

TEST(Stream, MovedFromIsRefusedByEveryMember) {
  stream first(device::cpu());
  const stream_ref name = first;
  const stream second = std::move(first);
  EXPECT_EQ(second.ref(), name);
  const auto refuse = [](const std::function<void()>& action) {
    expect_error(fault::moved_from, {"stream", "moved from"}, action);
  };
  refuse([&] { (void)first.ref(); });
  refuse([&] { (void)first.where(); });
  refuse([&] { (void)first.native(); });
  refuse([&] { first.wait(1s); });
  refuse([&] { (void)first.is_done(); });
  refuse([&] { (void)stream_ref(first); });
}

TEST(Stream, AssignmentDestroysTheOldStreamAndEmptiesTheOther) {
  const auto driver = std::make_shared<test::faulty_backend>(platform::make_cpu({}));
  const auto cpu = platform::make_device(driver, "cpu", "double");
  {
    stream first(cpu);
    stream second(cpu);
    const stream_ref kept = second;
    first = std::move(second);
    EXPECT_EQ(first.ref(), kept);
    EXPECT_EQ(driver->live().streams, 1U);
    expect_error(fault::moved_from, {"stream"}, [&] { (void)second.ref(); });
    second = stream(cpu);  // and can be used again
    EXPECT_NO_THROW(second.wait(1s));
  }
  EXPECT_EQ(driver->live().streams, 0U);
}

TEST(Stream, SurvivesAssignmentToItself) {
  stream work(device::cpu());
  stream& same = work;
  work = std::move(same);
  EXPECT_NO_THROW(work.wait(1s));
}

TEST(Stream, DestructionFinishesTheQueueOfTheCpuDevice) {
  std::atomic<int> ran = 0;
  {
    const stream work(
        platform::make_device(platform::make_cpu({.seed = 1, .delay_us = 1000}), "cpu", "delayed"));
    for (int i = 0; i < 5; ++i) {
      queue(work, [&] { ++ran; });
    }
  }
  EXPECT_EQ(ran, 5);
}

TEST(Stream, MayEndInsideItsOwnHostCallback) {
  const test::cleanup_log complaints;
  const auto driver = std::make_shared<test::faulty_backend>(platform::make_cpu({}));
  const auto cpu = platform::make_device(driver, "cpu", "double");
  std::atomic<bool> ended = false;
  auto doomed = std::make_shared<std::optional<stream>>(std::in_place, cpu);
  auto* const native = (*doomed)->native();
  test::gate closed(**doomed);
  ASSERT_TRUE(driver
                  ->call_host(
                      [doomed, &ended] {
                        doomed->reset();
                        ended = true;
                      },
                      native)
                  .ok());
  doomed.reset();
  closed.open();
  while (!ended) {
    std::this_thread::yield();
  }
  EXPECT_EQ(cpu.collect(), 0U);
  EXPECT_EQ(driver->live().streams, 0U);
  EXPECT_TRUE(complaints.errors().empty());
}

TEST(Stream, CanBeWaitedForByManyThreads) {
  const stream work(device::cpu());
  test::gate closed(work);
  std::atomic<int> done = 0;
  std::vector<std::thread> waiting;
  for (int i = 0; i < 4; ++i) {
    waiting.emplace_back([&] {
      work.wait(10s);
      ++done;
    });
  }
  EXPECT_EQ(done, 0);
  closed.open();
  for (auto& one : waiting) {
    one.join();
  }
  EXPECT_EQ(done, 4);
}

TEST(StreamRef, RefusesForeignStreamsOnTheCpuDevice) {
  expect_error(fault::invalid_argument, {"cudaStream_t on cpu", "pinhole::stream"},
               [] { (void)stream_ref(device::cpu(), nullptr); });
  int not_a_stream = 0;
  expect_error(fault::invalid_argument, {"cudaStream_t on cpu"}, [&] {
    (void)stream_ref(device::cpu(), reinterpret_cast<CUstream_st*>(&not_a_stream));
  });
}

TEST(StreamRef, EqualsOnlyTheSameStream) {
  const stream first(device::cpu());
  const stream second(device::cpu());
  EXPECT_EQ(first.ref(), first.ref());
  EXPECT_FALSE(first.ref() == second.ref());
  EXPECT_EQ(first.ref().where(), device::cpu());
}

}  // namespace
}  // namespace pinhole
