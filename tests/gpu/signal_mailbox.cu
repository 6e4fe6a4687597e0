// Mailboxes across a real link: small and large messages, several askers, several residents.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <thread>
#include <vector>

#include "pinhole/kernel/for_each_index.cuh"
#include "pinhole/kernel/resident.cuh"
#include "pinhole/memory/mapped_buffer.hpp"
#include "tests/gpu/signal_fixture.hpp"

namespace pinhole::test {

template <std::size_t Words>
struct message_of {
  std::uint32_t word[Words];
};
template <std::size_t Words>
message_of<Words> numbered(std::uint32_t number) {
  message_of<Words> made{};
  for (std::uint32_t i = 0; i < Words; ++i) {
    made.word[i] = number * 2654435761U + i;
  }
  return made;
}
template <std::size_t Words>
bool is_inverse(const message_of<Words>& got, std::uint32_t number) {
  const auto asked = numbered<Words>(number);
  for (std::size_t i = 0; i < Words; ++i) {
    if (got.word[i] != ~asked.word[i]) {
      return false;
    }
  }
  return true;
}

/// One thread inverts a message.
template <std::size_t Words>
struct inverter {
  PINHOLE_HD message_of<Words> operator()(const message_of<Words>& asked) const {
    message_of<Words> reply;
    for (std::size_t i = 0; i < Words; ++i) {
      reply.word[i] = ~asked.word[i];
    }
    return reply;
  }
};
/// All threads of a block invert a message that lies in a slot.
template <std::size_t Words>
struct inverters {
  PINHOLE_HD void operator()(const message_of<Words>& asked, message_of<Words>& reply,
                             const kernel::one_block& team) const {
    for (std::size_t i = team.rank(); i < Words; i += team.size()) {
      reply.word[i] = ~asked.word[i];
    }
  }
};
struct count_one {
  view<int> counts;
  PINHOLE_HD void operator()(std::size_t i) const { ++counts[i]; }
};

namespace {

template <std::size_t Words>
using box_of = mailbox<message_of<Words>, message_of<Words>>;

template <std::size_t Words>
void expect_answers(box_of<Words>& desk, std::uint32_t first, std::uint32_t rounds) {
  for (std::uint32_t i = first; i < first + rounds; ++i) {
    ASSERT_TRUE(is_inverse(desk.ask(numbered<Words>(i), soon), i))
        << Words << " words, round " << i;
  }
}

class MailboxOnGpu : public OnGpu {};

TEST_F(MailboxOnGpu, AnswersSmallMessagesInBothOrderings) {
  for (const auto orders : {ordering::messages, ordering::all_memory}) {
    box_of<3> desk(where, {.capacity = 4, .orders = orders});
    const resident worker(where, desk, inverter<3>{}, for_a_while());
    expect_answers(desk, 0, 20'000);
  }
}

TEST_F(MailboxOnGpu, AnswersMessagesOfEveryRoad) {
  box_of<8> line_to_line(where);  // the largest request that rides in its line
  box_of<12> slot_to_line(where);
  box_of<13> slot_to_slot(where);
  const resident one(where, line_to_line, inverter<8>{}, for_a_while());
  const resident two(where, slot_to_line, inverter<12>{}, for_a_while());
  const resident three(where, slot_to_slot, inverter<13>{}, for_a_while());
  expect_answers(line_to_line, 0, 1000);
  expect_answers(slot_to_line, 0, 1000);
  expect_answers(slot_to_slot, 0, 1000);
}

TEST_F(MailboxOnGpu, AnswersLargeMessagesByWholeBlocks) {
  box_of<1024> four_kib(where, {.capacity = 2});
  box_of<16384> largest(where, {.capacity = 2});
  const resident one(where, four_kib, inverters<1024>{}, for_a_while(2, 128));
  const resident two(where, largest, inverters<16384>{}, for_a_while());
  expect_answers(four_kib, 0, 1000);
  expect_answers(largest, 0, 200);
}

TEST_F(MailboxOnGpu, KeepsSeveralThreadsApartAndSeveralBlocksBusy) {
  box_of<3> desk(where, {.capacity = 8});
  const resident worker(where, desk, inverter<3>{}, for_a_while(4));
  constexpr std::uint32_t each = 5000;
  std::array<std::optional<error>, 4> failed;
  std::array<unsigned, 4> wrong{};
  std::vector<std::thread> askers;
  for (unsigned t = 0; t < 4; ++t) {
    askers.emplace_back([&, t] {
      try {
        for (std::uint32_t i = t * each; i < (t + 1) * each; ++i) {
          wrong[t] += is_inverse(desk.ask(numbered<3>(i), soon), i) ? 0U : 1U;
        }
      } catch (const error& failure) {
        failed[t] = failure;
      }
    });
  }
  for (auto& one : askers) {
    one.join();
  }
  for (unsigned t = 0; t < 4; ++t) {
    EXPECT_FALSE(failed[t].has_value()) << failed[t]->what();
    EXPECT_EQ(wrong[t], 0U);
  }
}

/// Residents of several kernels, started one after another while the earlier ones run; and launches
/// of a kernel that no launch has loaded yet.
TEST_F(MailboxOnGpu, LetsResidentsAndOtherKernelsRunBesideEachOther) {
  mapped_buffer<int> counts(where, 1000);
  std::ranges::fill(counts.host(), 0);
  const stream work(where);
  box_of<3> small(where, {.capacity = 64, .orders = ordering::messages});
  box_of<3> ordered(where);
  box_of<1024> large(where);
  const resident one(where, small, inverter<3>{}, for_a_while());
  const resident two(where, ordered, inverter<3>{}, for_a_while());
  const resident three(where, large, inverters<1024>{}, for_a_while());
  counts.to_device(work);
  for (int turn = 0; turn < 100; ++turn) {
    expect_answers(small, 1000 * turn, 10);
    expect_answers(ordered, 1000 * turn, 10);
    expect_answers(large, 1000 * turn, 10);
    for_each_index(work, counts.size(), count_one{counts.device()});
  }
  counts.to_host(work);
  work.wait(soon);
  EXPECT_EQ(counts.host()[999], 100);
  EXPECT_TRUE(one.is_running() && two.is_running() && three.is_running());
}

/// Streams share the device's queues: more streams than queues must not be stuck behind residents.
TEST_F(MailboxOnGpu, KeepsNoOtherStreamWaiting) {
  box_of<3> desk(where);
  const resident worker(where, desk, inverter<3>{}, for_a_while());
  mapped_buffer<int> counts(where, 1);
  counts.host()[0] = 0;
  int launched = 0;
  for (; launched < 40; ++launched) {
    const stream work(where);
    counts.to_device(work);
    for_each_index(work, 1, count_one{counts.device()});
    counts.to_host(work);
    work.wait(soon);
  }
  EXPECT_EQ(counts.host()[0], launched);
  expect_answers(desk, 0, 10);
}

}  // namespace
}  // namespace pinhole::test
