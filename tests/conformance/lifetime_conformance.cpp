// The end of buffers: while the device owns them, in other threads, callbacks and processes.
#include <atomic>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "tests/conformance/buffer_conformance.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/kernels.hpp"
#include "tests/support/os.hpp"

namespace pinhole::test {

using namespace std::chrono_literals;

class BufferLifetime : public BufferConformance {
 protected:
  /// Destroys the buffer and keeps its lender.
  static void destroy(made_buffer& made) { const any_buffer<int> doomed = std::move(made.buffer); }
};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(BufferLifetime);
INSTANTIATE_TEST_SUITE_P(Every, BufferLifetime,
                         testing::Combine(testing::ValuesIn(buffer_kinds()),
                                          testing::ValuesIn(devices_under_test())),
                         name_of);

TEST_P(BufferLifetime, DestroyedWhileTheDeviceOwnsItGoesToTheRetireList) {
  where.tuning().destroy_wait = 5ms;
  const stream work(where);
  auto made = make(5000);
  gate closed(work);
  made.buffer.to_device(work);
  add(work, made.buffer.device(), 1);
  const auto before = driver->live();
  destroy(made);
  EXPECT_EQ(where.retired(), 1U);
  EXPECT_EQ(where.collect(), 1U) << "the kernel has not even begun";
  EXPECT_EQ(driver->live().device_blocks, before.device_blocks);
  EXPECT_EQ(driver->live().host_blocks, before.host_blocks);
  EXPECT_EQ(driver->live().registrations, before.registrations);
  closed.open();
  work.wait(60s);
  EXPECT_EQ(where.collect(), 0U);
}

TEST_P(BufferLifetime, DestructionWaitsForTheDeviceUpToItsDeadline) {
  where.tuning().destroy_wait = 60s;
  const stream work(where);
  auto made = make(5000);
  gate closed(work);
  made.buffer.to_device(work);
  add(work, made.buffer.device(), 1);
  std::atomic<bool> opened = false;
  std::thread opener([&] {
    std::this_thread::sleep_for(20ms);
    opened = true;
    closed.open();
  });
  destroy(made);
  EXPECT_TRUE(opened);
  EXPECT_EQ(where.retired(), 0U);
  opener.join();
}

TEST_P(BufferLifetime, HandedBackInPartStaysWithTheDeviceForTheRest) {
  where.tuning().destroy_wait = 5ms;
  const stream work(where);
  auto made = make(5000);
  made.buffer.to_device(work);
  made.buffer.to_host(work, 0, 1);
  work.wait(60s);
  gate closed(work);
  add(work, made.buffer.device().subview(1, 4999), 1);
  destroy(made);
  EXPECT_EQ(where.retired(), 1U) << "the kernel will still touch the other elements";
  closed.open();
  work.wait(60s);
  EXPECT_EQ(where.collect(), 0U);
}

TEST_P(BufferLifetime, HandedBackInWholeIsNotWaitedForLater) {
  if (where.kind() == device_kind::cuda) {
    GTEST_SKIP() << "waived: the CUDA driver itself waits for all work when it frees memory";
  }
  where.tuning().destroy_wait = 5ms;
  const stream work(where);
  auto made = make(100);
  expect_round_trip(made.buffer, work);
  gate closed(work);  // later work, which has nothing to do with the buffer
  destroy(made);
  EXPECT_EQ(where.retired(), 0U);
}

TEST_P(BufferLifetime, MayOutliveTheStreamThatItWasHandedTo) {
  auto made = make(5000);
  {
    const stream work(where);
    made.buffer.to_device(work);
    add(work, made.buffer.device(), 1);
  }
  const stream other(where);
  destroy(made);
  EXPECT_EQ(where.collect(), 0U);
}

TEST_P(BufferLifetime, ForgetsStreamsThatAreGone) {
  auto made = make(10);
  for (int i = 0; i < 50; ++i) {
    const stream work(where);
    expect_round_trip(made.buffer, work);
  }
  EXPECT_LE(driver->live().events, 4U) << "one mark for each stream that ever was";
}

TEST_P(BufferLifetime, MayEndInAnotherThread) {
  const stream work(where);
  auto made = make(5000);
  made.buffer.to_device(work);
  add(work, made.buffer.device(), 1);
  std::thread([&] { destroy(made); }).join();
  work.wait(60s);
}

TEST_P(BufferLifetime, MayEndInsideAHostCallback) {
  const stream work(where);
  auto made = make(5000);
  auto doomed = std::make_shared<std::optional<any_buffer<int>>>(std::move(made.buffer));
  (*doomed)->to_device(work);
  add(work, (*doomed)->device(), 1);
  std::atomic<bool> ended = false;
  ASSERT_TRUE(driver
                  ->call_host(
                      [doomed, &ended] {
                        doomed->reset();
                        ended = true;
                      },
                      work.native())
                  .ok());
  work.wait(60s);
  EXPECT_TRUE(ended);
  EXPECT_EQ(where.collect(), 0U);
}

TEST_P(BufferLifetime, MayEndInsideAHostCallbackWithoutEverBeingHandedOver) {
  const stream work(where);
  auto made = make(10);
  auto doomed = std::make_shared<std::optional<any_buffer<int>>>(std::move(made.buffer));
  ASSERT_TRUE(driver->call_host([doomed] { doomed->reset(); }, work.native()).ok());
  work.wait(60s);
  EXPECT_EQ(where.collect(), 0U);
}

TEST_P(BufferLifetime, EndsSilentlyInAForkedChildAndLivesOnInTheParent) {
  const stream work(where);
  auto idle = make(100);
  auto busy = make(100);
  busy.buffer.to_device(work);
  work.wait(60s);
  const auto child = in_forked_child([&] {
    destroy(idle);
    destroy(busy);
  });
  EXPECT_EQ(child.exit_code, 0) << child.output;
  EXPECT_EQ(child.output, "");
  expect_round_trip(idle.buffer, work);
  expect_round_trip(busy.buffer, work);
}

TEST_P(BufferLifetime, MayBeginAndEndTenThousandTimes) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  // Slower, and the size of the process says nothing: freed memory is kept for a while.
  constexpr int rounds = 1000;
  constexpr bool size_counts = false;
#else
  constexpr int rounds = 10'000;
  constexpr bool size_counts = true;
#endif
  const stream work(where);
  std::size_t settled = 0;
  for (int i = 0; i < rounds; ++i) {
    auto made = make(300);
    made.buffer.host()[299] = i;
    if (i % (rounds / 10) == 0) {
      expect_round_trip(made.buffer, work);
    }
    if (i == rounds / 5) {
      settled = resident_bytes();
    }
  }
  EXPECT_EQ(where.retired(), 0U);
  EXPECT_EQ(where.collect(), 0U);
  EXPECT_EQ(driver->live(), (live_resources{.streams = 1}));
  if (size_counts) {
    EXPECT_LT(resident_bytes(), settled + (4U << 20U));
  }
}

}  // namespace pinhole::test
