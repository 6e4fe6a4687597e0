// Who sees what, and when: kernels that come later, a kernel that is there already, and the CPU.
#include <atomic>
#include <thread>

#include "pinhole/memory/mapped_buffer.hpp"
#include "tests/gpu/vram_fixture.hpp"
#include "tests/gpu/vram_kernels.hpp"

namespace pinhole::test {
namespace {

using std::uint32_t;

class VramOrdering : public VramOnGpu {};

TEST_F(VramOrdering, WhatTheCpuWroteIsSeenByAKernelThatIsLaunchedLater) {
  const stream work(where);
  vram_buffer<uint32_t> data(where, 4096);
  for (uint32_t round = 1; round <= 3000; ++round) {
    const auto values = data.host();
    for (uint32_t i = 0; i < values.size(); ++i) {
      values[i] = message_word(round, i);
    }
    data.to_device(work);
    add_one_after(work, data.device(), 0);
    data.to_host(work);
    work.wait(10s);
    const auto got = on_device(data);
    for (uint32_t i = 0; i < got.size(); ++i) {
      ASSERT_EQ(got[i], message_word(round, i) + 1) << "word " << i << " of round " << round;
    }
  }
}

TEST_F(VramOrdering, WhatAKernelWroteIsSeenByTheCpuAfterAWait) {
  const stream work(where);
  vram_buffer<uint32_t> data(where, 64);
  std::vector<uint32_t> expected(data.size());
  data.write(0, expected);
  data.to_device(work);
  for (uint32_t round = 1; round <= 20'000; ++round) {
    add_one_after(work, data.device(), 0);
    data.to_host(work);
    work.wait(10s);
    ASSERT_EQ(data.host()[round % 64], round) << "by a plain load";
    if (round % 16 == 0) {
      std::vector<uint32_t> got(data.size());
      data.read(0, got);
      ASSERT_EQ(got, std::vector<uint32_t>(data.size(), round)) << "by read()";
    }
    data.to_device(work);
  }
}

/// A kernel that checks messages until this goes out of scope. It ends by itself after a minute and
/// a half, so that no failing test can hold the card.
class checker {
 public:
  checker(const device& where, std::size_t payload_words)
      : work_(where),
        payload_(where, payload_words),
        doorbell_(where, 64),
        reply_(where, 64),
        stop_(where, 64) {
    std::ranges::fill(reply_.host(), 0U);
    std::ranges::fill(stop_.host(), 0U);
    doorbell_.write(0, std::vector<uint32_t>(64));
    start_checker(work_, {.payload = payload_.device(),
                          .doorbell = doorbell_.device(),
                          .reply = reply_.device(),
                          .stop = stop_.device(),
                          .limit_ns = 90'000'000'000});
  }
  ~checker() {
    std::atomic_ref(stop_.host()[0]).store(1);
    try {
      work_.wait(100s);
    } catch (const error& failed) {
      ADD_FAILURE() << failed.what();
    }
  }
  checker(const checker&) = delete;
  checker& operator=(const checker&) = delete;

  [[nodiscard]] vram_buffer<uint32_t>& payload() { return payload_; }
  [[nodiscard]] vram_buffer<uint32_t>& doorbell() { return doorbell_; }
  [[nodiscard]] uint32_t reply(std::size_t which) {
    return std::atomic_ref(reply_.host()[which]).load(std::memory_order_acquire);
  }
  /// False when the kernel has not answered within ten seconds, or is gone.
  [[nodiscard]] bool answered(uint32_t round) {
    const auto give_up = std::chrono::steady_clock::now() + 10s;
    for (unsigned polls = 1; reply(0) != round; ++polls) {
      if (polls % 4096 == 0 && (work_.is_done() || std::chrono::steady_clock::now() > give_up)) {
        return false;
      }
    }
    return true;
  }

 private:
  stream work_;
  vram_buffer<uint32_t> payload_;
  vram_buffer<uint32_t> doorbell_;
  mapped_buffer<uint32_t> reply_;
  mapped_buffer<uint32_t> stop_;
};

std::array<uint32_t, message_words> message_of(uint32_t round) {
  std::array<uint32_t, message_words> words{};
  for (uint32_t i = 0; i < message_words; ++i) {
    words[i] = message_word(round, i);
  }
  return words;
}

/// Sends `rounds` messages, of which each word must arrive before the doorbell does.
void expect_whole_messages(const device& where, uint32_t rounds) {
  checker kernel(where, 1024);
  for (uint32_t round = 1; round <= rounds; ++round) {
    const auto words = message_of(round);
    kernel.payload().write(message_place(round, 1024), words);
    kernel.doorbell().write(0, std::array{round});
    ASSERT_TRUE(kernel.answered(round))
        << "round " << round << ", heartbeat " << kernel.reply(2) << ", ended " << kernel.reply(3);
  }
  EXPECT_EQ(kernel.reply(1), 0U) << "words were stale or torn";
  kernel.doorbell().write(0, std::array{stop_round});
}

TEST_F(VramOrdering, AMillionMessagesReachARunningKernelWhole) {
  expect_whole_messages(where, 1'000'000);
}

TEST_F(VramOrdering, HoldsForASecondThreadToo) {
  std::thread([&] { expect_whole_messages(where, 100'000); }).join();
}

TEST_F(VramOrdering, PlainStoresBetweenTwoDrainsReachARunningKernelWhole) {
  constexpr uint32_t rounds = 200'000;
  checker kernel(where, 1024);
  for (uint32_t round = 1; round <= rounds; ++round) {
    const auto words = message_of(round);
    std::ranges::copy(words, kernel.payload().host().begin() + message_place(round, 1024));
    drain_writes();
    std::atomic_ref(kernel.doorbell().host()[0]).store(round, std::memory_order_relaxed);
    drain_writes();
    ASSERT_TRUE(kernel.answered(round)) << "round " << round;
  }
  EXPECT_EQ(kernel.reply(1), 0U) << "words were stale or torn";
}

TEST_F(VramOrdering, TheCheckerSeesAWordThatWasNotWritten) {
  checker kernel(where, 1024);
  auto words = message_of(1);
  words[31] ^= 1U;
  kernel.payload().write(message_place(1, 1024), words);
  kernel.doorbell().write(0, std::array{uint32_t{1}});
  ASSERT_TRUE(kernel.answered(1));
  EXPECT_EQ(kernel.reply(1), 1U);
}

TEST_F(VramOrdering, AnOwnerMayEndWhileItsKernelRuns) {
  const stream work(where);
  {
    vram_buffer<uint32_t> doomed(where, 100'000);
    doomed.to_device(work);
    add_one_after(work, doomed.device(), 50'000'000);
  }
  vram_buffer<uint32_t> next(where, 100'000);
  next.write(0, std::vector<uint32_t>(next.size(), 5));
  work.wait(10s);
  EXPECT_EQ(on_device(next), std::vector<uint32_t>(next.size(), 5))
      << "the kernel wrote to memory that was given away";
  EXPECT_EQ(where.collect(), 0U);
}

}  // namespace
}  // namespace pinhole::test
