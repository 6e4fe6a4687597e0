// How kernels that stay come to an end: asked to, left alone, for lack of time, or by a failure.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "pinhole/kernel/resident.cuh"
#include "pinhole/memory/copy.hpp"
#include "pinhole/memory/mapped_buffer.hpp"
#include "pinhole/memory/registered_buffer.hpp"
#include "pinhole/memory/staged_buffer.hpp"
#include "pinhole/memory/vram_buffer.hpp"
#include "pinhole/platform/vram_roads.hpp"
#include "pinhole/signal/flag.hpp"
#include "pinhole/signal/ring.hpp"
#include "tests/gpu/signal_fixture.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/os.hpp"

namespace pinhole::test {

/// Traps when asked for 13.
struct doubler {
  PINHOLE_HD int operator()(const int& number) const {
#if defined(__CUDA_ARCH__)
    if (number == 13) {
      __trap();
    }
#endif
    return 2 * number;
  }
};
/// Traps when the host raises the flag.
struct traps_when_raised {
  kernel::flag_end turn;
  PINHOLE_HD void operator()(kernel::watch& life, const kernel::grid_place& /*at*/) const {
    if (turn.wait_until_raised(life)) {
#if defined(__CUDA_ARCH__)
      __trap();
#endif
    }
  }
};
/// Takes elements from a ring and traps at 13.
struct traps_at_13 {
  PINHOLE_HD void operator()(const int& number) const { (void)doubler{}(number); }
};
struct waits_for_the_end {
  PINHOLE_HD void operator()(kernel::watch& life, const kernel::grid_place& /*at*/) const {
    while (!life.should_end()) {
    }
  }
};

namespace {

void demand(bool holds, const std::string& what) {
  if (!holds) {
    throw std::runtime_error("expected " + what);
  }
}

class ResidentOnGpu : public OnGpu {
 protected:
  /// Waits until the kernel has ended by itself.
  static void expect_end(const resident& worker, kernel::ending why) {
    const auto end = std::chrono::steady_clock::now() + lifetime;
    while (worker.is_running()) {
      ASSERT_LT(std::chrono::steady_clock::now(), end);
      std::this_thread::sleep_for(1ms);
    }
    EXPECT_EQ(worker.ended(), why);
  }
};

TEST_F(ResidentOnGpu, RunsWhenItsConstructorHasReturnedAndEndsWhenItIsStopped) {
  for (int turn = 0; turn < 20; ++turn) {
    resident worker(where, waits_for_the_end{}, for_a_while(4, 64));
    EXPECT_TRUE(worker.is_running());
    EXPECT_EQ(worker.ended(), kernel::ending::none);
    worker.stop(soon);
    EXPECT_FALSE(worker.is_running());
    EXPECT_EQ(worker.ended(), kernel::ending::stopped);
  }
}

TEST_F(ResidentOnGpu, AnswersWhatWasPostedBeforeItWasStopped) {
  mailbox<int, int> desk(where);
  resident worker(where, desk, doubler{}, for_a_while());
  const ticket before = desk.post(21, soon);
  worker.stop(soon);
  EXPECT_EQ(desk.wait(before, soon), 42);
  expect_error(fault::invalid_argument, {"was stopped"}, [&] { (void)desk.ask(1, soon); });
  const resident another(where, desk, doubler{}, for_a_while());
  EXPECT_EQ(desk.ask(4, soon), 8);
}

TEST_F(ResidentOnGpu, EndsWhenItsLifetimeIsOver) {
  mailbox<int, int> desk(where);
  const resident worker(where, desk, doubler{}, {.lifetime = 50ms, .start_wait = soon});
  expect_end(worker, kernel::ending::lifetime_over);
  expect_error(fault::call_failed, {"its lifetime was over"}, [&] { (void)desk.ask(1, soon); });
}

TEST_F(ResidentOnGpu, OutlivesItsHeartbeatLimitWhileItsHostIsAlive) {
  const resident worker(where, waits_for_the_end{},
                        {.heartbeat_limit = 100ms, .lifetime = lifetime, .start_wait = soon});
  std::this_thread::sleep_for(400ms);
  EXPECT_TRUE(worker.is_running());
}

/// What allocates, registers, copies and frees, while a kernel stays that only stop() ends.
TEST_F(ResidentOnGpu, KeepsNoCallOfTheLibraryWaiting) {
  constexpr std::size_t bytes = std::size_t{3} << 20U;  // past what drivers keep in stock
  resident worker(where, waits_for_the_end{}, for_a_while());
  std::vector<std::byte> own(bytes, std::byte{7});
  std::vector<std::byte> back(bytes);
  {
    const mapped_buffer<std::byte> mapped(where, bytes);
    staged_buffer<std::byte> staged(where, bytes);
    const registered_buffer<std::byte> registered(where, std::span(own));
    copy_to_device(where, staged.device(), std::span<const std::byte>(own));
    copy_to_host(where, std::span(back), staged.device());
    EXPECT_EQ(back, own);
    if (vram_in_cpu_address_space(where)) {
      vram_buffer<std::byte> near(where, bytes);
      near.write(0, own);
      std::ranges::fill(back, std::byte{0});
      near.read(0, back);  // by the copy engine, at this size
      EXPECT_EQ(back, own);
    }
  }
  EXPECT_TRUE(worker.is_running()) << "and so nothing has waited for it";
  worker.stop(soon);
  EXPECT_EQ(worker.ended(), kernel::ending::stopped);
}

const fresh_process suspended("suspended host of a resident", [] {
  const auto gpu = device::first();
  mailbox<int, int> desk(gpu);
  const resident worker(gpu, desk, doubler{},
                        {.heartbeat_limit = 200ms, .lifetime = lifetime, .start_wait = soon});
  demand(desk.ask(1, soon) == 2, "an answer");
  stand_still(600ms);
  try {
    (void)desk.ask(2, soon);
  } catch (const error& failure) {
    demand(std::string(failure.what()).find("heartbeat of this process stood still") !=
               std::string::npos,
           std::string("to hear of the heartbeat, not: ") + failure.what());
    demand(worker.ended() == kernel::ending::host_is_gone, "the kernel to know why it ended");
    return;
  }
  demand(false, "a kernel that is gone");
});

TEST_F(ResidentOnGpu, EndsWhenItsHostStandsStill) {
  const auto child = in_fresh_process("suspended host of a resident");
  EXPECT_EQ(child.exit_code, 0) << child.output;
}

const fresh_process killed("killed host of a resident", [] {
  const auto gpu = device::first();
  mailbox<int, int> desk(gpu);
  const resident worker(gpu, desk, doubler{},
                        {.heartbeat_limit = 200ms, .lifetime = lifetime, .start_wait = soon});
  demand(desk.ask(1, soon) == 2, "an answer");
  die_at_once();
});

TEST_F(ResidentOnGpu, LeavesTheDeviceToOthersWhenItsHostIsKilled) {
  const auto start = std::chrono::steady_clock::now();
  const auto child = in_fresh_process("killed host of a resident");
  EXPECT_EQ(child.exit_code, 128 + 9) << child.output;
  mailbox<int, int> desk(where);
  const resident worker(where, desk, doubler{}, for_a_while());
  EXPECT_EQ(desk.ask(3, soon), 6);
  EXPECT_LT(std::chrono::steady_clock::now() - start, lifetime);
}

const fresh_process trapped("trapped resident", [] {
  const auto gpu = device::first();
  mailbox<int, int> desk(gpu);
  const resident worker(gpu, desk, doubler{}, for_a_while());
  demand(desk.ask(12, soon) == 24, "an answer");
  for (int turn = 0; turn < 2; ++turn) {  // the loss is sticky
    try {
      (void)desk.ask(13, 4 * soon);
      demand(false, "an ask of a failed kernel to throw");
    } catch (const error& lost) {
      demand(lost.kind() == fault::device_failed && lost.is_sticky(),
             std::string("the device's error, not: ") + lost.what());
    }
  }
});

TEST_F(ResidentOnGpu, TurnsAWaitIntoTheErrorOfAKernelThatTraps) {
  const auto child = in_fresh_process("trapped resident");
  EXPECT_EQ(child.exit_code, 0) << child.output;
}

/// The wait of `f` must end with the device's error, long before its deadline.
template <class Wait>
void demand_device_error(const Wait& wait) {
  try {
    wait();
    demand(false, "a wait for a failed kernel to throw");
  } catch (const error& lost) {
    demand(lost.kind() == fault::device_failed,
           std::string("the device's error, not: ") + lost.what());
  }
}

const fresh_process trapped_flag("trapped beside a flag", [] {
  const auto gpu = device::first();
  flag turn(gpu);
  const resident worker(gpu, traps_when_raised{turn.device()}, for_a_while(), turn);
  turn.raise();
  demand_device_error([&] { turn.wait_until_raised(4 * soon); });
});

const fresh_process trapped_ring("trapped beside a ring", [] {
  const auto gpu = device::first();
  ring_to_device<int> numbers(gpu, 16);
  const resident worker(gpu, numbers, traps_at_13{}, for_a_while());
  demand_device_error([&] {
    for (int number = 0; number < 1000; ++number) {
      numbers.push(number, 4 * soon);
    }
  });
});

TEST_F(ResidentOnGpu, TurnsWaitsOfFlagsAndRingsIntoTheErrorOfAKernelThatTraps) {
  for (const char* const name : {"trapped beside a flag", "trapped beside a ring"}) {
    const auto child = in_fresh_process(name);
    EXPECT_EQ(child.exit_code, 0) << name << ": " << child.output;
  }
}

const fresh_process exits("exit beside a resident", [] {
  static mailbox<int, int> desk(device::first());
  // On purpose never destroyed: exit() unwinds no stack.
  new resident(device::first(), desk, doubler{}, for_a_while());
  demand(desk.ask(4, soon) == 8, "an answer");
});

TEST_F(ResidentOnGpu, KeepsNoProcessFromExiting) {
  const auto start = std::chrono::steady_clock::now();
  const auto child = in_fresh_process("exit beside a resident");
  EXPECT_EQ(child.exit_code, 0) << child.output;
  EXPECT_LT(std::chrono::steady_clock::now() - start, lifetime);
}

TEST_F(ResidentOnGpu, IsRefusedWhereEveryLaunchBlocks) {
  const environment blocking("CUDA_LAUNCH_BLOCKING", "1");
  expect_error(fault::not_supported, {"CUDA_LAUNCH_BLOCKING", "unset"},
               [&] { const resident worker(where, waits_for_the_end{}, for_a_while()); });
}

TEST_F(ResidentOnGpu, IsRefusedMoreBlocksThanRunAtOnce) {
  expect_error(fault::invalid_argument, {"blocks", "run at once"}, [&] {
    const resident worker(where, waits_for_the_end{}, for_a_while(1U << 20U, 256));
  });
}

}  // namespace
}  // namespace pinhole::test
