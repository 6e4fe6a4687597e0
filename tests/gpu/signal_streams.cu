// Flags and rings across a real link, by teams of every size.
#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

#include "pinhole/kernel/resident.cuh"
#include "pinhole/memory/mapped_buffer.hpp"
#include "pinhole/signal/flag.hpp"
#include "tests/gpu/signal_fixture.hpp"

namespace pinhole::test {

/// Adds one to a number in mapped memory, each time that the host raises the flag.
struct adds_one {
  kernel::flag_end turn;
  view<std::uint64_t> number;
  PINHOLE_HD void operator()(kernel::watch& life, const kernel::grid_place& /*at*/) const {
    while (turn.wait_until_raised(life)) {
      turn.lower();
      number[0] += 1;
      turn.raise();
    }
  }
};

struct sample {
  std::uint64_t number;
  std::uint64_t square;
};
PINHOLE_HD constexpr sample sample_of(std::uint64_t number) {
  return {number, number * number};
}

/// Checks what comes, in order, and tells how many were right.
template <class Team>
struct checker {
  kernel::ring_source<sample> ring;
  view<std::uint64_t> right;
  PINHOLE_HD void operator()(kernel::watch& life, const kernel::grid_place& /*at*/) const {
    const Team team;
    kernel::ring_reader<sample, Team> reader(ring);
    std::uint64_t mine = 0;
    while (const std::uint64_t n = reader.wait(life)) {
      for (std::uint64_t i = team.rank(); i < n; i += team.size()) {
        const sample expected = sample_of(reader.position() + i);
        const sample& got = reader[i];
        mine += got.number == expected.number && got.square == expected.square ? 1U : 0U;
      }
      reader.release(n);
    }
    right[team.rank()] = mine;
  }
};

/// Makes samples from 0 up, a few at a time, and closes the ring behind the last.
template <class Team>
struct maker {
  kernel::ring_sink<sample> ring;
  view<sample> batch;  ///< in mapped memory: the same for all threads
  std::uint64_t count;
  PINHOLE_HD void operator()(kernel::watch& life, const kernel::grid_place& /*at*/) const {
    const Team team;
    kernel::ring_writer<sample, Team> writer(ring);
    for (std::uint64_t first = 0; first < count; first += batch.size()) {
      for (std::uint64_t i = team.rank(); i < batch.size(); i += team.size()) {
        batch[i] = sample_of(first + i);
      }
      team.sync();
      if (writer.push(batch.data(), batch.size(), life) != batch.size()) {
        return;
      }
      team.sync();
    }
    writer.close();
  }
};

namespace {

class FlagOnGpu : public OnGpu {};
class RingOnGpu : public OnGpu {};

TEST_F(FlagOnGpu, IsSeenInBothDirectionsWithWhatWasWrittenBefore) {
  flag turn(where);
  mapped_buffer<std::uint64_t> number(where, 1);
  number.host()[0] = 0;
  resident worker(where, adds_one{turn.device(), number.device()}, for_a_while(1, 1), turn, number);
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    number.host()[0] += 7;
    turn.lower();
    turn.raise();
    turn.wait_until_raised(soon, wait_policy::spin, &worker.work());
    ASSERT_EQ(number.host()[0], 8 * (i + 1));
  }
  worker.stop(soon);
  EXPECT_EQ(worker.ended(), kernel::ending::stopped);
}

/// Every block polls the same word.
TEST_F(FlagOnGpu, EndsAsManyBlocksAsTheDeviceRuns) {
  flag turn(where);
  mapped_buffer<std::uint64_t> number(where, 1);
  const auto blocks = static_cast<unsigned>(where.capabilities().multiprocessors);
  resident worker(where, adds_one{turn.device(), number.device()}, for_a_while(blocks, 1), turn,
                  number);
  EXPECT_TRUE(worker.is_running());
  worker.stop(soon);
  EXPECT_EQ(worker.ended(), kernel::ending::stopped);
}

template <class Team>
void expect_all_consumed(const device& where, unsigned threads, std::uint64_t count) {
  ring_to_device<sample> ring(where, 256);
  mapped_buffer<std::uint64_t> right(where, threads);
  std::ranges::fill(right.host(), 0);
  resident worker(where, checker<Team>{ring.device(), right.device()}, for_a_while(1, threads),
                  ring, right);
  std::vector<sample> batch;
  for (std::uint64_t next = 0; next < count;) {
    batch.clear();
    const std::uint64_t n = std::min<std::uint64_t>(count - next, 1 + next % 300);
    for (std::uint64_t i = 0; i < n; ++i) {
      batch.push_back(sample_of(next++));
    }
    ring.push(batch, soon);
  }
  ring.wait_until_consumed(soon);
  ring.close();
  worker.stop(soon);
  std::uint64_t sum = 0;
  for (const auto part : right.host()) {
    sum += part;
  }
  EXPECT_EQ(sum, count) << threads << " threads";
  EXPECT_EQ(worker.ended(), kernel::ending::returned);
}

TEST_F(RingOnGpu, GivesEveryElementToTheKernelOnceAndInOrder) {
  expect_all_consumed<kernel::one_thread>(where, 1, 20'000);
  expect_all_consumed<kernel::one_warp>(where, 32, 200'000);
  expect_all_consumed<kernel::one_block>(where, 256, 200'000);
}

template <class Team>
void expect_all_produced(const device& where, unsigned threads, std::uint64_t batches) {
  ring_to_host<sample> ring(where, 256);
  mapped_buffer<sample> batch(where, 100);
  const std::uint64_t count = batches * batch.size();
  resident worker(where, maker<Team>{ring.device(), batch.device(), count}, for_a_while(1, threads),
                  ring, batch);
  std::vector<sample> got(256);
  std::uint64_t number = 0;
  while (const std::size_t n = ring.pop(got, soon)) {
    for (std::size_t i = 0; i < n; ++i, ++number) {
      ASSERT_EQ(got[i].number, number) << threads << " threads";
      ASSERT_EQ(got[i].square, number * number) << threads << " threads";
    }
  }
  EXPECT_EQ(number, count) << threads << " threads";
  worker.stop(soon);
  EXPECT_EQ(worker.ended(), kernel::ending::returned);
}

TEST_F(RingOnGpu, GivesEveryElementToTheHostOnceAndInOrder) {
  expect_all_produced<kernel::one_thread>(where, 1, 20);
  expect_all_produced<kernel::one_warp>(where, 32, 500);
  expect_all_produced<kernel::one_block>(where, 256, 500);
}

TEST_F(RingOnGpu, HoldsBackAKernelThatIsTooFast) {
  ring_to_host<sample> ring(where, 128);
  mapped_buffer<sample> batch(where, 100);
  const resident worker(where, maker<kernel::one_warp>{ring.device(), batch.device(), 1000},
                        for_a_while(1, 32), ring, batch);
  const auto end = std::chrono::steady_clock::now() + soon;
  while (ring.pushed() < 128 && std::chrono::steady_clock::now() < end) {
  }
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(ring.pushed(), 128U);
  std::vector<sample> got(128);
  std::uint64_t number = 0;
  while (const std::size_t n = ring.pop(got, soon)) {
    ASSERT_EQ(got[0].number, number);
    number += n;
  }
  EXPECT_EQ(number, 1000U);
}

}  // namespace
}  // namespace pinhole::test
