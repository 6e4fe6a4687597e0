// Flags in both directions, against launched and resident kernels.
#include "pinhole/signal/flag.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "pinhole/kernel/for_each_index.cuh"
#include "pinhole/kernel/resident.cuh"
#include "pinhole/memory/mapped_buffer.hpp"
#include "pinhole/memory/staged_buffer.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/unit/signal/signal_devices.hpp"

namespace pinhole::test {

using namespace std::chrono_literals;

/// Raises when it has reached `last`.
struct count_to {
  view<int> count;
  int last;
  kernel::flag_end done;
  PINHOLE_HD void operator()(std::size_t /*i*/) const {
    if (++count[0] == last) {
      done.raise();
    }
  }
};

/// Doubles a number each time that the host raises the flag.
struct doubler {
  kernel::flag_end turn;
  view<std::uint64_t> number;
  PINHOLE_HD void operator()(kernel::watch& life, const kernel::grid_place& /*at*/) const {
    if (kernel::one_block().rank() != 0) {
      return;
    }
    while (turn.wait_until_raised(life)) {
      turn.lower();
      number[0] *= 2;
      turn.raise();
    }
  }
};

/// Every block adds its number each time that the host raises the flag; the last one answers.
struct adders {
  kernel::flag_end turn;
  view<std::uint64_t> count;  ///< {blocks that have added, their sum}, in device memory
  ordering orders;
  PINHOLE_HD void operator()(kernel::watch& life, const kernel::grid_place& at) const {
    for (std::uint64_t number = 1; turn.wait_for_raise(number, life, orders); ++number) {
      kernel::count_up(&count[1], at.block, orders);
      if (kernel::count_up(&count[0]) == number * at.blocks) {
        turn.raise_to(number);
      }
    }
  }
};

namespace {

TEST(Flag, IsRaisedToManyBlocksAndByTheLastOfThem) {
  for (const auto& where : signal_devices()) {
    for (const auto orders : {ordering::all_memory, ordering::messages}) {
      const stream work(where);
      flag turn(where);
      staged_buffer<std::uint64_t> count(where, 2);
      std::ranges::fill(count.host(), 0);
      count.to_device(work);
      work.wait(long_enough);
      resident worker(where, adders{turn.device(), count.device(), orders},
                      {.blocks = 3, .threads = 1}, turn, count);
      for (int i = 0; i < 20; ++i) {
        turn.lower();
        turn.raise();
        turn.wait_until_raised(long_enough, wait_policy::spin_then_yield, &worker.work());
      }
      worker.stop(long_enough);
      count.to_host(work);
      work.wait(long_enough);
      EXPECT_EQ(count.host()[1], 20U * (0 + 1 + 2));
    }
  }
}

TEST(Flag, IsLoweredAtFirst) {
  for (const auto& where : signal_devices()) {
    const flag converged(where);
    EXPECT_FALSE(converged.is_raised());
  }
}

TEST(Flag, EndsALoopOfLaunchesWhenAKernelRaisesIt) {
  for (const auto& where : signal_devices()) {
    const stream work(where);
    flag done(where);
    mapped_buffer<int> count(where, 1);
    count.host()[0] = 0;
    int turns = 0;
    do {
      done.lower();
      for_each_index(work, 1, count_to{count.device(), 5, done.device()});
      work.wait(long_enough);
      ++turns;
    } while (!done.is_raised() && turns < 100);
    EXPECT_EQ(turns, 5);
    done.lower();
    EXPECT_FALSE(done.is_raised());
    for_each_index(work, 1, count_to{count.device(), 6, done.device()});
    done.wait_until_raised(long_enough);
    EXPECT_EQ(count.host()[0], 6) << "what was written before the raise is visible after it";
    work.wait(long_enough);
  }
}

TEST(Flag, GoesBackAndForthBetweenHostAndResidentKernel) {
  for (const auto& where : signal_devices()) {
    flag turn(where);
    mapped_buffer<std::uint64_t> number(where, 1);
    number.host()[0] = 1;
    resident worker(where, doubler{turn.device(), number.device()}, {.threads = 32}, turn, number);
    for (int i = 0; i < 40; ++i) {
      turn.lower();
      turn.raise();
      turn.wait_until_raised(long_enough, wait_policy::spin_then_yield, &worker.work());
    }
    EXPECT_EQ(number.host()[0], std::uint64_t{1} << 40U);
    worker.stop(long_enough);
    EXPECT_EQ(worker.ended(), kernel::ending::stopped);
  }
}

TEST(Flag, TellsWhatItWaitedForAndWhatItSaw) {
  for (const auto& where : signal_devices()) {
    const flag never(where);
    for (const auto policy :
         {wait_policy::spin, wait_policy::spin_then_yield, wait_policy::block}) {
      expect_error(fault::timed_out, {"a flag raised on " + where.id(), "5 ms", "0 times so far"},
                   [&] { never.wait_until_raised(5ms, policy); });
    }
    expect_error(fault::timed_out, {"deadline of 0"}, [&] { never.wait_until_raised(0s); });
    expect_error(fault::invalid_argument, {"negative"}, [&] { never.wait_until_raised(-1s); });
    expect_error(fault::invalid_argument, {"292 years"},
                 [&] { never.wait_until_raised(std::chrono::hours::max()); });
  }
}

TEST(Flag, TellsThatItsKernelHasEndedWithoutRaising) {
  for (const auto& where : signal_devices()) {
    const stream work(where);
    flag never(where);
    mapped_buffer<int> count(where, 1);
    count.host()[0] = 0;
    for_each_index(work, 1, count_to{count.device(), 5, never.device()});
    const stream_ref of_kernel = work;
    expect_error(fault::call_failed, {"ended without raising"},
                 [&] { never.wait_until_raised(long_enough, wait_policy::spin, &of_kernel); });
  }
}

TEST(Flag, IsGoneAfterAMove) {
  flag first(device::cpu());
  const flag second(std::move(first));
  EXPECT_FALSE(second.is_raised());
  expect_error(fault::moved_from, {"a flag"}, [&] { first.raise(); });
}

}  // namespace
}  // namespace pinhole::test
