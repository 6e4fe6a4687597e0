// Kernels that stay: how they start, end, and what they keep.
#include "pinhole/signal/resident.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "pinhole/kernel/for_each_index.cuh"
#include "pinhole/kernel/resident.cuh"
#include "pinhole/memory/mapped_buffer.hpp"
#include "pinhole/memory/staged_buffer.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/faulty_backend.hpp"
#include "tests/support/os.hpp"
#include "tests/unit/signal/signal_devices.hpp"

namespace pinhole::test {

using namespace std::chrono_literals;

/// Does nothing until it is asked to end.
struct idler {
  PINHOLE_HD void operator()(kernel::watch& life, const kernel::grid_place& /*at*/) const {
    while (!life.should_end()) {
    }
  }
};
/// Does not look for a while.
struct sleeper {
  std::uint64_t ns;
  PINHOLE_HD void operator()(kernel::watch& life, const kernel::grid_place& /*at*/) const {
    const std::uint64_t start = words::now_ns();
    while (words::now_ns() - start < ns) {
    }
    while (!life.should_end()) {
    }
  }
};
struct twice {
  PINHOLE_HD int operator()(const int& number) const { return 2 * number; }
};

namespace {

TEST(Resident, RunsUntilItIsStopped) {
  for (const auto& where : signal_devices()) {
    resident worker(where, idler{}, {.blocks = 3, .threads = 32});
    std::this_thread::sleep_for(20ms);
    EXPECT_TRUE(worker.is_running());
    EXPECT_EQ(worker.ended(), kernel::ending::none);
    worker.stop(long_enough);
    EXPECT_FALSE(worker.is_running());
    EXPECT_EQ(worker.ended(), kernel::ending::stopped);
    worker.stop(0s);  // a second stop does nothing
  }
}

TEST(Resident, LivesLongerThanItsHeartbeatLimit) {
  for (const auto& where : signal_devices()) {
    const resident worker(where, idler{}, {.threads = 32, .heartbeat_limit = 500ms});
    std::this_thread::sleep_for(1200ms);
    EXPECT_TRUE(worker.is_running());
  }
}

TEST(Resident, CanBeStoppedAgainWhenTheFirstTimeWasTooShort) {
  for (const auto& where : signal_devices()) {
    resident worker(where, sleeper{200'000'000}, {.threads = 32});
    expect_error(fault::timed_out, {"stop a resident kernel", "1 ms", "stop it again"},
                 [&] { worker.stop(1ms); });
    expect_error(fault::invalid_argument, {"negative"}, [&] { worker.stop(-1s); });
    worker.stop(long_enough);
    EXPECT_FALSE(worker.is_running());
  }
}

TEST(Resident, IsLeftToItselfWhenItDoesNotEndInTime) {
  for (const auto& where : signal_devices()) {
    const cleanup_log log;
    {
      const resident worker(where, sleeper{200'000'000}, {.threads = 32, .stop_wait = 1ms});
    }
    ASSERT_EQ(log.errors().size(), 1U);
    EXPECT_EQ(log.errors()[0].kind(), fault::timed_out);
    EXPECT_GT(where.retired(), 0U);
    const auto start = std::chrono::steady_clock::now();
    while (where.collect() != 0) {
      ASSERT_LT(std::chrono::steady_clock::now() - start, long_enough);
      std::this_thread::sleep_for(1ms);
    }
  }
}

TEST(Resident, KeepsWhatWasLeasedToItAndWhatItServes) {
  for (const auto& where : signal_devices()) {
    auto table = std::make_unique<mapped_buffer<int>>(where, 1000);
    auto desk = std::make_unique<mailbox<int, int>>(where);
    resident worker(where, *desk, twice{}, {}, *table);
    EXPECT_EQ(desk->ask(21, long_enough), 42);
    const auto start = std::chrono::steady_clock::now();
    table.reset();
    desk.reset();
    {
      const staged_buffer<int> unrelated(where, 1000);
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, 1s) << "nothing waits for the kernel";
    EXPECT_GE(where.retired(), 2U);
    EXPECT_TRUE(worker.is_running());
    worker.stop(long_enough);
    EXPECT_EQ(where.collect(), 0U);
  }
}

TEST(Resident, LeavesTheDeviceToOtherWork) {
  for (const auto& where : signal_devices()) {
    mailbox<int, int> desk(where);
    const resident worker(where, desk, twice{});
    const stream work(where);
    mapped_buffer<int> numbers(where, 100);
    numbers.to_device(work);
    numbers.to_host(work);
    work.wait(long_enough);
    EXPECT_EQ(desk.ask(4, long_enough), 8);
  }
}

TEST(Resident, MovesWithoutStopping) {
  for (const auto& where : signal_devices()) {
    resident first(where, idler{}, {.threads = 32});
    resident second(std::move(first));
    EXPECT_TRUE(second.is_running());
    expect_error(fault::moved_from, {"resident kernel"}, [&] { first.stop(1s); });
    second = resident(where, idler{}, {.threads = 64});
    EXPECT_TRUE(second.is_running());
  }
}

TEST(Resident, RefusesBadOptions) {
  const auto where = device::cpu();
  expect_error(fault::invalid_argument, {"at least one block"},
               [&] { const resident none(where, idler{}, {.blocks = 0}); });
  expect_error(fault::invalid_argument, {"65 blocks", "at most 64 run at once"},
               [&] { const resident many(where, idler{}, {.blocks = 65}); });
  expect_error(fault::invalid_argument, {"heartbeat limit must be positive"},
               [&] { const resident dead(where, idler{}, {.heartbeat_limit = 0s}); });
  expect_error(fault::invalid_argument, {"not negative"},
               [&] { const resident unborn(where, idler{}, {.lifetime = -1s}); });
}

TEST(Resident, RefusesToBlockEveryLaunch) {
  if (device::first().kind() == device_kind::cpu) {
    GTEST_SKIP() << "waived: CUDA_LAUNCH_BLOCKING means nothing without a GPU";
  }
  const environment blocking("CUDA_LAUNCH_BLOCKING", "1");
  expect_error(fault::not_supported, {"CUDA_LAUNCH_BLOCKING", "unset"},
               [] { const resident worker(device::first(), idler{}, {.threads = 32}); });
}

TEST(Resident, LeavesNothingBehindWhenAnyCallFailsWhileItStarts) {
  const auto driver = std::make_shared<faulty_backend>(platform::make_cpu({}));
  const auto where = platform::make_device(driver, "cpu", "cpu");
  const auto serve_once = [&] {
    mailbox<int, int> desk(where, {.capacity = 2});
    resident worker(where, desk, twice{});
    EXPECT_EQ(desk.ask(3, long_enough), 6);
    worker.stop(long_enough);
  };
  serve_once();
  where.collect();
  const auto before = driver->live();
  driver->heal();
  serve_once();
  const std::size_t calls = driver->calls(counted::commands);
  ASSERT_GT(calls, 5U);
  for (std::size_t i = 0; i < calls; ++i) {
    SCOPED_TRACE("call " + std::to_string(i));
    driver->fail_call(i, platform::outcome::failed, counted::commands);
    try {
      serve_once();
    } catch (const error& failure) {
      EXPECT_EQ(failure.kind(), fault::call_failed) << failure.what();
    }
    driver->heal();
    where.collect();
    EXPECT_EQ(driver->live(), before);
    EXPECT_FALSE(driver->last_error_is_set());
  }
  EXPECT_EQ(driver->wrong_releases(), 0U);
}

/// A device that takes a kernel and never starts it.
class busy_backend final : public faulty_backend {
 public:
  using faulty_backend::faulty_backend;
  bool is_busy = true;
  platform::status launch(const launch_request& /*what*/,
                          platform::native_stream /*work*/) override {
    return {};
  }
  platform::status query_stream(platform::native_stream work) override {
    return is_busy ? platform::status{platform::outcome::not_ready, "query_stream", "busy"}
                   : faulty_backend::query_stream(work);
  }
};

TEST(Resident, SaysWhenItsKernelDoesNotBegin) {
  const auto driver = std::make_shared<busy_backend>(platform::make_cpu({}));
  const auto where = platform::make_device(driver, "cpu", "cpu");
  mailbox<int, int> desk(where);
  expect_error(fault::timed_out,
               {"start a resident kernel", "deadline of 1 ms", "has not begun", "start_wait"},
               [&] { const resident worker(where, desk, twice{}, {.start_wait = 1ms}); });
  expect_error(fault::invalid_argument, {"was stopped"}, [&] { (void)desk.try_post(1); });
  EXPECT_GT(where.collect(), 0U) << "it may begin yet";
  driver->is_busy = false;
  EXPECT_EQ(where.collect(), 0U);
}

TEST(Resident, IsLeftAloneByAForkedChild) {
  const auto where = device::cpu();
  mailbox<int, int> desk(where);
  auto worker = std::make_unique<resident>(where, desk, twice{});
  const auto child = in_forked_child([&] { worker.reset(); });
  EXPECT_EQ(child.exit_code, 0) << child.output;
  EXPECT_EQ(desk.ask(5, long_enough), 10);
}

const fresh_process exits_with_a_resident("exits with a resident", [] {
  static std::optional<mailbox<int, int>> desk;
  desk.emplace(device::first());
  // On purpose never destroyed: exit() unwinds no stack. Static, so that it is no leak either.
  static auto* const worker = new resident(device::first(), *desk, twice{});
  if (desk->ask(4, long_enough) != 8 || !worker->is_running()) {
    std::abort();
  }
});

TEST(Resident, DoesNotKeepAProcessFromExiting) {
  const auto start = std::chrono::steady_clock::now();
  const auto child = in_fresh_process("exits with a resident");
  EXPECT_EQ(child.exit_code, 0) << child.output;
  EXPECT_LT(std::chrono::steady_clock::now() - start, long_enough);
}

}  // namespace
}  // namespace pinhole::test
