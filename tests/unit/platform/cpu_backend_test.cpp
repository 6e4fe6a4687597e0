// The CPU device at the boundary: the conditions that platform.hpp states.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "pinhole/core/units.hpp"
#include "platform/linux/host_limits.hpp"
#include "platform/platform.hpp"
#include "tests/support/os.hpp"

namespace pinhole::platform {
namespace {

/// Waits until the stream is idle; the outcome of the last query.
outcome drain(backend& cpu, native_stream work) {
  status now = cpu.query_stream(work);
  while (now.what == outcome::not_ready) {
    std::this_thread::yield();
    now = cpu.query_stream(work);
  }
  return now.what;
}

class CpuBackend : public testing::Test {
 protected:
  std::shared_ptr<backend> cpu = make_cpu({});
};

TEST_F(CpuBackend, AllocatesAlignedMemoryAndTakesItBackOnce) {
  void* memory = nullptr;
  ASSERT_TRUE(cpu->allocate_device(100, &memory).ok());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 256, 0U);
  EXPECT_EQ(cpu->free_host(memory).what, outcome::invalid_value) << "not from that heap";
  EXPECT_TRUE(cpu->free_device(memory).ok());
  EXPECT_EQ(cpu->free_device(memory).what, outcome::invalid_value);
}

TEST_F(CpuBackend, RefusesMoreThanTheMachineHas) {
  void* memory = nullptr;
  for (const std::size_t bytes : {std::size_t{total_memory()} + 1, SIZE_MAX, SIZE_MAX - 10}) {
    EXPECT_EQ(cpu->allocate_device(bytes, &memory).what, outcome::out_of_memory);
    EXPECT_EQ(memory, nullptr);
  }
}

TEST_F(CpuBackend, KnowsWhatAnAddressBelongsTo) {
  void* on_device = nullptr;
  void* host = nullptr;
  void* mapped = nullptr;
  std::vector<char> users(100);
  ASSERT_TRUE(cpu->allocate_device(64, &on_device).ok());
  ASSERT_TRUE(cpu->allocate_host(64, {}, &host, &mapped).ok());
  ASSERT_TRUE(cpu->register_host(users.data(), users.size(), &mapped).ok());
  address_facts facts;
  ASSERT_TRUE(cpu->classify(static_cast<char*>(on_device) + 63, facts).ok());
  EXPECT_EQ(facts.kind, memory_kind::device);
  ASSERT_TRUE(cpu->classify(host, facts).ok());
  EXPECT_EQ(facts.kind, memory_kind::pinned_host);
  ASSERT_TRUE(cpu->classify(users.data() + 99, facts).ok());
  EXPECT_EQ(facts.kind, memory_kind::pinned_host);
  EXPECT_EQ(facts.on_device, users.data() + 99);
  ASSERT_TRUE(cpu->classify(&facts, facts).ok());
  EXPECT_EQ(facts.kind, memory_kind::unknown);
  EXPECT_EQ(facts.on_device, nullptr);
  EXPECT_TRUE(cpu->unregister_host(users.data()).ok());
  EXPECT_TRUE(cpu->free_host(host).ok());
  EXPECT_TRUE(cpu->free_device(on_device).ok());
}

TEST_F(CpuBackend, RegistersNoByteTwice) {
  std::vector<char> users(100);
  void* mapped = nullptr;
  ASSERT_TRUE(cpu->register_host(users.data() + 10, 50, &mapped).ok());
  EXPECT_EQ(mapped, users.data() + 10);
  EXPECT_EQ(cpu->register_host(users.data(), 11, &mapped).what, outcome::already_registered);
  EXPECT_EQ(cpu->register_host(users.data() + 59, 5, &mapped).what, outcome::already_registered);
  ASSERT_TRUE(cpu->register_host(users.data() + 60, 40, &mapped).ok());
  EXPECT_EQ(cpu->unregister_host(users.data()).what, outcome::not_registered);
  EXPECT_TRUE(cpu->unregister_host(users.data() + 10).ok());
  EXPECT_TRUE(cpu->unregister_host(users.data() + 60).ok());
}

TEST_F(CpuBackend, RefusesToRegisterWhatCannotBeWritten) {
  test::pages memory(2);
  memory.protect(1, 1, test::protection::read_only);
  void* mapped = nullptr;
  EXPECT_EQ(cpu->register_host(memory.data(), memory.bytes(), &mapped).what,
            outcome::invalid_value);
}

TEST_F(CpuBackend, CopiesInTheStreamsOrder) {
  native_stream work = nullptr;
  ASSERT_TRUE(cpu->create_stream(stream_rank::ordinary, &work).ok());
  int from = 7;
  int middle = 0;
  int to = 0;
  ASSERT_TRUE(cpu->copy_async(&middle, &from, sizeof from, copy_way::to_device, work).ok());
  ASSERT_TRUE(cpu->copy_async(&to, &middle, sizeof to, copy_way::to_host, work).ok());
  EXPECT_EQ(drain(*cpu, work), outcome::ok);
  EXPECT_EQ(to, 7);
  from = 8;
  ASSERT_TRUE(cpu->copy_now(&to, &from, sizeof to, copy_way::to_host).ok());
  EXPECT_EQ(to, 8);
  EXPECT_TRUE(cpu->destroy_stream(work).ok());
}

TEST_F(CpuBackend, EventsAreReadyBeforeTheyAreRecordedAndAfterTheWork) {
  native_stream work = nullptr;
  native_event mark = nullptr;
  ASSERT_TRUE(cpu->create_stream(stream_rank::ordinary, &work).ok());
  ASSERT_TRUE(cpu->create_event(&mark).ok());
  EXPECT_TRUE(cpu->query_event(mark).ok());
  std::atomic<bool> go = false;
  ASSERT_TRUE(cpu->call_host(
                     [&] {
                       while (!go) {
                         std::this_thread::yield();
                       }
                     },
                     work)
                  .ok());
  ASSERT_TRUE(cpu->record_event(mark, work).ok());
  EXPECT_EQ(cpu->query_event(mark).what, outcome::not_ready);
  EXPECT_EQ(cpu->query_stream(work).what, outcome::not_ready);
  go = true;
  EXPECT_EQ(drain(*cpu, work), outcome::ok);
  EXPECT_TRUE(cpu->query_event(mark).ok());
  EXPECT_TRUE(cpu->destroy_event(mark).ok());
  EXPECT_TRUE(cpu->destroy_stream(work).ok());
}

TEST_F(CpuBackend, StreamsWaitForEventsOfOthers) {
  native_stream first = nullptr;
  native_stream second = nullptr;
  native_event mark = nullptr;
  ASSERT_TRUE(cpu->create_stream(stream_rank::ordinary, &first).ok());
  ASSERT_TRUE(cpu->create_stream(stream_rank::ordinary, &second).ok());
  ASSERT_TRUE(cpu->create_event(&mark).ok());
  EXPECT_TRUE(cpu->wait_event(second, mark).ok()) << "never recorded: nothing to wait for";
  EXPECT_EQ(drain(*cpu, second), outcome::ok);
  std::atomic<bool> go = false;
  ASSERT_TRUE(cpu->call_host(
                     [&] {
                       while (!go) {
                         std::this_thread::yield();
                       }
                     },
                     first)
                  .ok());
  ASSERT_TRUE(cpu->record_event(mark, first).ok());
  ASSERT_TRUE(cpu->wait_event(second, mark).ok());
  EXPECT_EQ(cpu->query_stream(second).what, outcome::not_ready);
  go = true;
  EXPECT_EQ(drain(*cpu, second), outcome::ok);
  EXPECT_TRUE(cpu->query_event(mark).ok());
  EXPECT_TRUE(cpu->destroy_event(mark).ok());
  EXPECT_TRUE(cpu->destroy_stream(first).ok());
  EXPECT_TRUE(cpu->destroy_stream(second).ok());
}

TEST_F(CpuBackend, PermitsNoMemoryCallsInsideAHostFunction) {
  native_stream work = nullptr;
  ASSERT_TRUE(cpu->create_stream(stream_rank::ordinary, &work).ok());
  std::vector<outcome> seen;
  ASSERT_TRUE(cpu->call_host(
                     [&] {
                       void* memory = nullptr;
                       seen.push_back(cpu->allocate_device(8, &memory).what);
                       seen.push_back(cpu->allocate_host(8, {}, &memory, &memory).what);
                       seen.push_back(cpu->register_host(&seen, sizeof seen, &memory).what);
                       seen.push_back(cpu->query_stream(work).what);
                     },
                     work)
                  .ok());
  EXPECT_EQ(drain(*cpu, work), outcome::ok);
  EXPECT_EQ(seen, std::vector<outcome>(4, outcome::not_permitted));
  EXPECT_TRUE(cpu->destroy_stream(work).ok());
}

TEST_F(CpuBackend, LeavesFailuresInTheSlotOfTheCallingThread) {
  cpu->clear_last_error();
  EXPECT_TRUE(cpu->peek_last_error().ok());
  EXPECT_FALSE(cpu->free_device(this).ok());
  EXPECT_EQ(cpu->peek_last_error().what, outcome::invalid_value);
  EXPECT_EQ(cpu->peek_last_error().what, outcome::invalid_value) << "looking changes nothing";
  std::thread([&] { EXPECT_TRUE(cpu->peek_last_error().ok()); }).join();
  cpu->clear_last_error();
  EXPECT_TRUE(cpu->peek_last_error().ok());
}

TEST(CpuDelay, HoldsWorkBackByATimeDrawnFromTheSeed) {
  using clock = std::chrono::steady_clock;
  const auto slow = make_cpu({.seed = 5, .delay_us = 20'000});
  native_stream work = nullptr;
  ASSERT_TRUE(slow->create_stream(stream_rank::ordinary, &work).ok());
  int to = 0;
  const int from = 1;
  const auto start = clock::now();
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(slow->copy_async(&to, &from, sizeof to, copy_way::to_host, work).ok());
  }
  EXPECT_EQ(slow->query_stream(work).what, outcome::not_ready);
  EXPECT_EQ(drain(*slow, work), outcome::ok);
  EXPECT_GT(clock::now() - start, std::chrono::milliseconds(20)) << "10 times 10 ms on average";
  EXPECT_TRUE(slow->destroy_stream(work).ok());
}

}  // namespace
}  // namespace pinhole::platform
