// Questions and answers, and all the ways in which they can go wrong.
#include "pinhole/signal/mailbox.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "pinhole/kernel/resident.cuh"
#include "tests/support/expect_error.hpp"
#include "tests/unit/signal/signal_devices.hpp"

namespace pinhole::test {

using namespace std::chrono_literals;

struct question {
  std::uint32_t part[3];
};
struct answer {
  std::uint32_t part[3];
};
PINHOLE_HD inline answer right_answer(const question& q) {
  return {q.part[0] ^ 0x5A5A5A5AU, q.part[1] * 3 + 1, q.part[2] + q.part[0]};
}
struct expert {
  PINHOLE_HD answer operator()(const question& q) const { return right_answer(q); }
};
question question_number(std::uint32_t i) {
  return {{i, i * 0x9E3779B9U, ~i}};
}
void expect_answer(const answer& got, std::uint32_t i) {
  const answer expected = right_answer(question_number(i));
  ASSERT_TRUE(got.part[0] == expected.part[0] && got.part[1] == expected.part[1] &&
              got.part[2] == expected.part[2])
      << "question " << i;
}

/// Answers after so many nanoseconds; throws on the CPU device when asked for the impossible.
struct slow {
  PINHOLE_HD std::uint64_t operator()(const std::uint64_t& delay_ns) const {
    const std::uint64_t start = words::now_ns();
    while (words::now_ns() - start < delay_ns) {
    }
    return delay_ns + 1;
  }
};
struct thrower {
  PINHOLE_HD int operator()(const int& /*request*/) const {
#if !defined(__CUDA_ARCH__)
    throw std::runtime_error("no answer to this");
#else
    return 0;
#endif
  }
};

template <std::size_t Words>
struct block_of {
  std::uint32_t word[Words];
};
/// All threads of a block invert a message together.
template <std::size_t Words>
struct invert {
  PINHOLE_HD void operator()(const block_of<Words>& request, block_of<Words>& reply,
                             const kernel::one_block& team) const {
    if constexpr (Words <= 12) {  // each thread has a reply of its own
      for (std::size_t i = 0; i < Words; ++i) {
        reply.word[i] = ~request.word[i];
      }
    } else {
      for (std::size_t i = team.rank(); i < Words; i += team.size()) {
        reply.word[i] = ~request.word[i];
      }
    }
  }
};

namespace {

/// Keeps as many questions in flight as the mailbox takes, and checks every answer.
void ask_many(mailbox<question, answer>& desk, std::uint32_t first, std::uint32_t count) {
  std::deque<std::pair<ticket, std::uint32_t>> in_flight;
  std::uint32_t next = first;
  while (next != first + count || !in_flight.empty()) {
    if (next != first + count) {
      if (const auto drawn = desk.try_post(question_number(next))) {
        in_flight.emplace_back(*drawn, next++);
        continue;
      }
    }
    if (in_flight.empty()) {  // others have all the slots
      std::this_thread::yield();
      continue;
    }
    const auto [oldest, number] = in_flight.front();
    in_flight.pop_front();
    expect_answer(desk.wait(oldest, long_enough), number);
  }
}

TEST(Mailbox, AnswersOneAfterTheOther) {
  for (const auto& where : signal_devices()) {
    for (const auto orders : {ordering::all_memory, ordering::messages}) {
      mailbox<question, answer> desk(where, {.capacity = 4, .orders = orders});
      const resident worker(where, desk, expert{});
      for (std::uint32_t i = 0; i < 1000; ++i) {
        expect_answer(desk.ask(question_number(i), long_enough), i);
      }
    }
  }
}

TEST(Mailbox, LosesTearsAndMixesUpNothingInManyRounds) {
  for (const auto& where : signal_devices()) {
    mailbox<question, answer> desk(where);
    const resident worker(where, desk, expert{});
    ask_many(desk, 0, many_rounds);
  }
}

TEST(Mailbox, KeepsSeveralAskersApartAndSeveralBlocksBusy) {
  for (const auto& where : signal_devices()) {
    mailbox<question, answer> desk(where, {.capacity = 16});
    const resident worker(where, desk, expert{}, {.blocks = 3});
    constexpr std::uint32_t each = many_rounds / 20;
    std::vector<std::thread> askers;
    for (std::uint32_t t = 0; t < 3; ++t) {
      askers.emplace_back([&, t] { ask_many(desk, t * each, each); });
    }
    for (auto& one : askers) {
      one.join();
    }
  }
}

template <std::size_t Words>
void expect_inverted(const device& where) {
  mailbox<block_of<Words>, block_of<Words>> desk(where, {.capacity = 2});
  const resident worker(where, desk, invert<Words>{}, {.threads = 64});
  for (std::uint32_t round = 0; round < 50; ++round) {
    block_of<Words> request{};
    for (std::uint32_t i = 0; i < Words; ++i) {
      request.word[i] = round * 1000003U + i;
    }
    const auto reply = desk.ask(request, long_enough);
    for (std::uint32_t i = 0; i < Words; ++i) {
      ASSERT_EQ(reply.word[i], ~request.word[i]) << Words << " words, round " << round;
    }
  }
}

TEST(Mailbox, CarriesMessagesOfAnySize) {
  for (const auto& where : signal_devices()) {
    expect_inverted<1>(where);
    expect_inverted<8>(where);     // the largest request that rides in its line
    expect_inverted<9>(where);     // the smallest that does not
    expect_inverted<12>(where);    // the largest reply that does
    expect_inverted<1024>(where);  // 4 KiB
  }
}

TEST(Mailbox, AnswersWhatWasPostedBeforeThereWasAResident) {
  for (const auto& where : signal_devices()) {
    mailbox<question, answer> desk(where, {.capacity = 2});
    const ticket early = desk.post(question_number(7), 1s);
    expect_error(fault::timed_out, {"ticket 0", "no reply was seen", "start one"},
                 [&] { (void)desk.wait(early, 1ms); });
    const resident worker(where, desk, expert{});
    expect_answer(desk.wait(early, long_enough), 7);
  }
}

TEST(Mailbox, IsFullWhenAllSlotsAreInUse) {
  for (const auto& where : signal_devices()) {
    mailbox<question, answer> desk(where, {.capacity = 2});
    std::array<ticket, 2> drawn{desk.post(question_number(0), 1s),
                                desk.post(question_number(1), 1s)};
    EXPECT_FALSE(desk.try_post(question_number(2)).has_value());
    expect_error(fault::timed_out, {"post to a mailbox", "waits for its slot, one of 2"},
                 [&] { (void)desk.post(question_number(2), 1ms); });
    const resident worker(where, desk, expert{});
    expect_answer(desk.wait(drawn[0], long_enough), 0);
    EXPECT_TRUE(desk.try_post(question_number(2)).has_value());
  }
}

TEST(Mailbox, DropsALateReplyAndUsesItsSlotAgain) {
  for (const auto& where : signal_devices()) {
    mailbox<std::uint64_t, std::uint64_t> desk(where, {.capacity = 1});
    const resident worker(where, desk, slow{});
    for (std::uint64_t i = 0; i < 5; ++i) {
      expect_error(fault::timed_out, {"the reply to ticket", "1 ms"},
                   [&] { (void)desk.ask(30'000'000 + i, 1ms); });
      EXPECT_EQ(desk.ask(i, long_enough), i + 1) << "and not the late reply";
    }
  }
}

TEST(Mailbox, KnowsWhichTicketsAreGood) {
  for (const auto& where : signal_devices()) {
    mailbox<question, answer> desk(where);
    const resident worker(where, desk, expert{});
    const ticket good = desk.post(question_number(1), long_enough);
    std::optional<answer> got;
    while (!(got = desk.poll(good))) {
      std::this_thread::yield();
    }
    expect_answer(*got, 1);
    expect_error(fault::invalid_argument, {"ticket 0", "answered or abandoned"},
                 [&] { (void)desk.poll(good); });
    expect_error(fault::invalid_argument, {"ticket 5", "never drawn"},
                 [&] { (void)desk.wait(ticket{5}, 1s); });
    const ticket given_up = desk.post(question_number(2), long_enough);
    desk.abandon(given_up);
    expect_error(fault::invalid_argument, {"abandon"}, [&] { desk.abandon(given_up); });
  }
}

TEST(Mailbox, TakesNothingAfterStopUntilAnotherResidentServesIt) {
  for (const auto& where : signal_devices()) {
    mailbox<question, answer> desk(where);
    {
      resident worker(where, desk, expert{});
      const ticket before = desk.post(question_number(3), long_enough);
      worker.stop(long_enough);
      expect_answer(desk.wait(before, 1s), 3);  // what was posted before is answered
    }
    expect_error(fault::invalid_argument, {"post to a mailbox", "was stopped"},
                 [&] { (void)desk.ask(question_number(1), 1s); });
    const resident another(where, desk, expert{}, {.blocks = 2});
    for (std::uint32_t i = 0; i < 100; ++i) {
      expect_answer(desk.ask(question_number(i), long_enough), i);
    }
  }
}

TEST(Mailbox, RefusesASecondResident) {
  for (const auto& where : signal_devices()) {
    mailbox<question, answer> desk(where);
    const resident worker(where, desk, expert{});
    expect_error(fault::invalid_argument, {"another resident kernel serves it"},
                 [&] { const resident second(where, desk, expert{}); });
    expect_answer(desk.ask(question_number(1), long_enough), 1);
  }
}

TEST(Mailbox, ThrowsWhatItsKernelFailedWith) {
  mailbox<int, int> desk(device::cpu());
  const resident worker(device::cpu(), desk, thrower{});
  expect_error(fault::call_failed, {"no answer to this"}, [&] { (void)desk.ask(1, long_enough); });
}

TEST(Mailbox, SaysThatItsKernelHasEndedByItself) {
  for (const auto& where : signal_devices()) {
    mailbox<question, answer> desk(where);
    resident worker(where, desk, expert{}, {.lifetime = 20ms});
    while (worker.is_running()) {
      std::this_thread::sleep_for(1ms);
    }
    expect_error(fault::call_failed, {"its lifetime was over"},
                 [&] { (void)desk.ask(question_number(1), long_enough); });
    EXPECT_EQ(worker.ended(), kernel::ending::lifetime_over);
    worker.stop(1s);
  }
}

TEST(Mailbox, RefusesBadCapacitiesAndDeadlines) {
  using box = mailbox<question, answer>;
  for (const std::size_t capacity : {std::size_t{0}, std::size_t{3}}) {
    expect_error(fault::invalid_argument, {std::to_string(capacity) + " slots", "power of two"},
                 [&] { const box desk(device::cpu(), {.capacity = capacity}); });
  }
  box desk(device::cpu());
  expect_error(fault::invalid_argument, {"negative"},
               [&] { (void)desk.ask(question_number(1), -1ms); });
  expect_error(fault::invalid_argument, {},
               [&] { (void)desk.ask(question_number(1), std::chrono::hours::max()); });
  expect_error(fault::timed_out, {"deadline of 0"},
               [&] { (void)desk.ask(question_number(1), 0s); });
  expect_error(fault::invalid_argument, {"65 blocks", "64 slots"},
               [&] { const resident worker(device::cpu(), desk, expert{}, {.blocks = 65}); });
  box other(std::move(desk));
  expect_error(fault::moved_from, {"a mailbox"}, [&] { (void)desk.try_post(question_number(1)); });
}

}  // namespace
}  // namespace pinhole::test
