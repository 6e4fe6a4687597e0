// Rings in both directions, with elements and teams of several sizes.
#include "pinhole/signal/ring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "pinhole/kernel/resident.cuh"
#include "pinhole/memory/mapped_buffer.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/unit/signal/signal_devices.hpp"

namespace pinhole::test {

using namespace std::chrono_literals;

template <std::size_t Words>
struct element {
  std::uint32_t word[Words];
};
template <std::size_t Words>
PINHOLE_HD constexpr std::uint32_t word_of(std::uint64_t number, std::size_t i) {
  return static_cast<std::uint32_t>(number * 2654435761U + i);
}

/// Passes everything on from one ring to another, and closes that when this one is.
template <class T, class Team>
struct relay {
  kernel::ring_source<T> from;
  kernel::ring_sink<T> to;
  PINHOLE_HD void operator()(kernel::watch& life, const kernel::grid_place& /*at*/) const {
    kernel::ring_reader<T, Team> in(from);
    kernel::ring_writer<T, Team> out(to);
    while (const std::uint64_t n = in.wait(life)) {
      const std::uint64_t straight = in.straight(n);
      if (out.push(&in[0], straight, life) != straight) {
        return;
      }
      in.release(straight);
    }
    if (in.is_closed()) {
      out.close();
    }
  }
};

/// Adds up numbers, each thread in a place of its own.
struct adder {
  view<std::uint64_t> sums;
  PINHOLE_HD void operator()(const std::uint64_t& number) const {
    sums[kernel::one_block().rank()] += number;
  }
};

/// Fills a ring with 0, 1, 2, ... up to a number, and closes it.
struct counter {
  std::uint32_t last;
  PINHOLE_HD void operator()(kernel::ring_writer<std::uint32_t, kernel::one_block>& out,
                             kernel::watch& life) const {
    for (std::uint32_t i = 0; i < last; ++i) {
      if (out.push(&i, 1, life) != 1) {
        return;
      }
    }
    out.close();
  }
};

namespace {

/// Pushes numbered elements in batches of changing sizes from another thread, and checks each that
/// comes back.
template <std::size_t Words, class Team>
void expect_relayed(const device& where, std::uint64_t count, std::size_t capacity,
                    unsigned threads) {
  using T = element<Words>;
  ring_to_device<T> down(where, capacity);
  ring_to_host<T> up(where, capacity);
  resident worker(where, relay<T, Team>{down.device(), up.device()}, {.threads = threads}, down,
                  up);
  std::thread producer([&] {
    std::vector<T> batch;
    for (std::uint64_t next = 0; next < count;) {
      batch.resize(std::min<std::uint64_t>(count - next, 1 + next % (2 * capacity)));
      for (auto& one : batch) {
        for (std::size_t i = 0; i < Words; ++i) {
          one.word[i] = word_of<Words>(next, i);
        }
        ++next;
      }
      down.push(batch, long_enough);
    }
    down.close();
  });
  std::vector<T> got(capacity);
  std::uint64_t number = 0;
  while (const std::size_t n = up.pop(got, long_enough)) {
    for (std::size_t k = 0; k < n; ++k, ++number) {
      for (std::size_t i = 0; i < Words; ++i) {
        ASSERT_EQ(got[k].word[i], word_of<Words>(number, i)) << "element " << number;
      }
    }
  }
  producer.join();
  EXPECT_EQ(number, count);
  EXPECT_TRUE(up.is_closed());
  EXPECT_EQ(up.popped(), count);
  worker.stop(long_enough);
  EXPECT_EQ(worker.ended(), kernel::ending::returned);
}

TEST(Ring, PassesEveryElementOnceAndInOrder) {
  for (const auto& where : signal_devices()) {
    expect_relayed<16, kernel::one_block>(where, many_rounds, 1024, 256);
    expect_relayed<1, kernel::one_block>(where, many_rounds / 10, 64, 128);
    expect_relayed<3, kernel::one_warp>(where, many_rounds / 10, 256, 32);
    expect_relayed<16, kernel::one_thread>(where, many_rounds / 100, 8, 1);
    expect_relayed<2, kernel::one_thread>(where, 1000, 1, 1);
  }
}

TEST(Ring, GivesEachElementToAHandler) {
  for (const auto& where : signal_devices()) {
    mapped_buffer<std::uint64_t> sums(where, 64);
    std::ranges::fill(sums.host(), 0);
    ring_to_device<std::uint64_t> feed(where, 128);
    resident worker(where, feed, adder{sums.device()}, {.threads = 64}, sums);
    std::uint64_t expected = 0;
    for (std::uint64_t i = 0; i < 10'000; ++i) {
      feed.push(i * i, long_enough);
      expected += i * i;
    }
    feed.wait_until_consumed(long_enough);
    EXPECT_EQ(feed.consumed(), 10'000U);
    worker.stop(long_enough);
    std::uint64_t sum = 0;
    for (const auto one : sums.host()) {
      sum += one;
    }
    EXPECT_EQ(sum, expected);
  }
}

TEST(Ring, LetsAHandlerProduceAsFastAsTheHostPops) {
  for (const auto& where : signal_devices()) {
    ring_to_host<std::uint32_t> results(where, 16);
    const resident worker(where, results, counter{5000}, {.threads = 32});
    for (std::uint32_t i = 0; i < 5000; ++i) {
      ASSERT_EQ(results.pop(long_enough), std::optional(i));
    }
    EXPECT_EQ(results.pop(long_enough), std::nullopt) << "closed and empty";
  }
}

TEST(Ring, ShowsItsElementsWhereTheyLie) {
  for (const auto& where : signal_devices()) {
    ring_to_host<std::uint32_t> results(where, 8);
    const resident worker(where, results, counter{100}, {.threads = 32});
    std::uint32_t next = 0;
    while (next < 100) {
      const auto front = results.front();
      for (const auto number : front) {
        ASSERT_EQ(number, next++);
      }
      results.pop_front(front.size());
      if (front.empty()) {
        std::this_thread::yield();
      }
    }
    expect_error(fault::invalid_argument, {"pop 1 elements", "has shown 0"},
                 [&] { results.pop_front(1); });
  }
}

TEST(Ring, HoldsBackAProducerThatIsTooFast) {
  for (const auto& where : signal_devices()) {
    ring_to_device<int> feed(where, 4);
    const std::vector<int> six{1, 2, 3, 4, 5, 6};
    EXPECT_EQ(feed.push_some(six), 4U);
    EXPECT_FALSE(feed.try_push(7));
    expect_error(fault::timed_out, {"push to a ring", "4 elements were pushed", "0 consumed"},
                 [&] { feed.push(7, 1ms); });
    expect_error(fault::timed_out, {"deadline of 0"}, [&] { feed.push(7, 0s); });
    expect_error(fault::invalid_argument, {"negative"}, [&] { feed.push(7, -1s); });
  }
}

TEST(Ring, TakesNothingAfterItWasClosed) {
  for (const auto& where : signal_devices()) {
    ring_to_device<int> feed(where, 4);
    feed.close();
    feed.close();
    expect_error(fault::invalid_argument, {"it was closed"}, [&] { (void)feed.try_push(1); });
  }
}

TEST(Ring, TakesNothingAfterItsResidentWasStopped) {
  for (const auto& where : signal_devices()) {
    ring_to_device<std::uint64_t> feed(where, 4);
    mapped_buffer<std::uint64_t> sums(where, 32);
    resident worker(where, feed, adder{sums.device()}, {.threads = 32}, sums);
    worker.stop(long_enough);
    expect_error(fault::invalid_argument, {"was stopped"}, [&] { (void)feed.try_push(1); });
    ring_to_host<std::uint32_t> results(where, 4);
    resident producer(where, results, counter{100}, {.threads = 32});
    while (results.pushed() < 4) {
      std::this_thread::yield();
    }
    producer.stop(long_enough);
    for (std::uint32_t i = 0; i < 4; ++i) {
      EXPECT_EQ(results.pop(long_enough), std::optional(i))
          << "what was pushed can still be popped";
    }
    expect_error(fault::invalid_argument, {"was stopped"}, [&] { (void)results.pop(long_enough); });
  }
}

TEST(Ring, HasOneProducerAndOneConsumer) {
  for (const auto& where : signal_devices()) {
    ring_to_device<std::uint64_t> feed(where, 1);
    EXPECT_TRUE(feed.try_push(1));
    std::thread first([&] {
      try {
        feed.push(2, 300ms);  // nobody consumes
      } catch (const error&) {
      }
    });
    std::this_thread::sleep_for(100ms);
    expect_error(fault::invalid_argument, {"another thread", "one producer"},
                 [&] { (void)feed.try_push(3); });
    first.join();

    mapped_buffer<std::uint64_t> sums(where, 32);
    const resident worker(where, feed, adder{sums.device()}, {.threads = 32}, sums);
    expect_error(fault::invalid_argument, {"another resident kernel serves it"}, [&] {
      const resident second(where, feed, adder{sums.device()}, {.threads = 32}, sums);
    });
    expect_error(fault::invalid_argument, {"2 blocks", "one producer"}, [&] {
      const resident second(where, feed, adder{sums.device()}, {.blocks = 2}, sums);
    });
  }
}

TEST(Ring, RefusesBadCapacities) {
  for (const std::size_t capacity : {std::size_t{0}, std::size_t{12}}) {
    expect_error(fault::invalid_argument, {std::to_string(capacity) + " elements", "power of two"},
                 [&] { const ring_to_device<int> ring(device::cpu(), capacity); });
    expect_error(fault::invalid_argument, {"power of two"},
                 [&] { const ring_to_host<int> ring(device::cpu(), capacity); });
  }
  ring_to_host<int> first(device::cpu(), 2);
  const ring_to_host<int> second(std::move(first));
  expect_error(fault::moved_from, {"a ring"}, [&] { (void)first.try_pop(); });
}

}  // namespace
}  // namespace pinhole::test
