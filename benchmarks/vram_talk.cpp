// What the kernel must answer is known before the clock runs.
#include "benchmarks/vram_talk.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <span>
#include <stdexcept>

#include "benchmarks/vram_timing.hpp"
#include "pinhole/core/error.hpp"

namespace pinhole::measure {

namespace {

constexpr std::size_t round_at = chunk_words - 1;

std::size_t chunks_of(std::size_t size) {
  return std::max<std::size_t>(1, size / (chunk_words * sizeof(std::uint32_t)));
}

}  // namespace

echo_talk::echo_talk(const device& gpu, std::size_t size)
    : next_(chunks_of(size) * chunk_words),
      word_alone_(size == sizeof(std::uint32_t)),
      work_(gpu),
      message_(gpu, next_.size()),
      reply_(gpu, 8),
      stop_(gpu, 16) {
  message_.write(0, next_);
  std::ranges::fill(reply_.host(), 0U);
  std::ranges::fill(stop_.host(), 0U);
  start_echo(work_, {.message = message_.device(),
                     .reply = reply_.device(),
                     .stop = stop_.device(),
                     .chunks = static_cast<std::uint32_t>(chunks_of(size)),
                     .limit_ns = 20'000'000'000});
}

echo_talk::~echo_talk() {
  std::atomic_ref(stop_.host()[0]).store(1);
  try {
    work_.wait(std::chrono::seconds(30));
  } catch (const error&) {  // its failure was, or will be, met by another call
  }
}

double echo_talk::ask() {
  ++round_;
  if (word_alone_) {
    next_[round_at] = round_;
  } else {
    fill_message(round_, next_);
  }
  const auto expected = answer_to(next_);
  std::uint64_t got = 0;
  const double us = microseconds(1, [&](std::size_t) {
    if (word_alone_) {
      message_.write(round_at, std::span(next_).subspan(round_at, 1));
    } else {
      message_.write(0, next_);
    }
    got = answer();
  });
  if (got != expected) {
    throw std::runtime_error("the kernel saw another message than was written");
  }
  return us;
}

std::uint64_t echo_talk::answer() {
  using clock = std::chrono::steady_clock;
  const auto give_up = clock::now() + std::chrono::seconds(5);
  const std::atomic_ref<std::uint64_t> reply(reply_.host()[0]);
  std::uint64_t got = reply.load(std::memory_order_acquire);
  for (unsigned polls = 1; static_cast<std::uint32_t>(got) != round_; ++polls) {
    if (polls % 65536 == 0 && (work_.is_done() || clock::now() > give_up)) {
      throw std::runtime_error("the kernel did not answer a message");
    }
    got = reply.load(std::memory_order_acquire);
  }
  return got;
}

}  // namespace pinhole::measure
