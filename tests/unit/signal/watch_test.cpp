// When a resident kernel decides to end.
#include "pinhole/signal/watch.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace pinhole::kernel {
namespace {

using namespace std::chrono_literals;

struct host_side {
  std::uint64_t word = 0;
  life_signs signs;
  life_line line(std::chrono::nanoseconds limit, std::chrono::nanoseconds lifetime = 0ns) {
    return {.host = {&word, nullptr},
            .signs = &signs,
            .heartbeat_limit = static_cast<std::uint64_t>(limit.count()),
            .lifetime = static_cast<std::uint64_t>(lifetime.count())};
  }
};

bool ends_within(watch& life, unsigned polls) {
  for (unsigned i = 0; i < polls; ++i) {
    if (life.should_end()) {
      return true;
    }
  }
  return false;
}

TEST(Watch, GoesOnWhileTheHostIsAlive) {
  host_side host;
  watch life(host.line(1s));
  const auto until = std::chrono::steady_clock::now() + 2s;
  while (std::chrono::steady_clock::now() < until) {
    words::store(&host.word, host.word + 1);
    ASSERT_FALSE(life.should_end());
  }
  EXPECT_EQ(life.why(), ending::none);
}

TEST(Watch, EndsAtTheNextLookAfterItWasAskedTo) {
  host_side host;
  watch life(host.line(60s));
  EXPECT_FALSE(ends_within(life, 200));
  words::store(&host.word, life_line::stop);
  EXPECT_TRUE(ends_within(life, 64));
  EXPECT_EQ(life.why(), ending::stopped);
}

TEST(Watch, EndsWhenTheHeartbeatStandsStillForLongerThanItsLimit) {
  host_side host;
  words::store(&host.word, 5);
  const auto start = std::chrono::steady_clock::now();
  watch life(host.line(30ms));
  while (!life.should_end()) {
    ASSERT_LT(std::chrono::steady_clock::now() - start, 60s);
  }
  EXPECT_GE(std::chrono::steady_clock::now() - start, 30ms);
  EXPECT_EQ(life.why(), ending::host_is_gone);
}

TEST(Watch, EndsWhenItsLifetimeIsOverThoughTheHostIsAlive) {
  host_side host;
  const auto start = std::chrono::steady_clock::now();
  watch life(host.line(10s, 30ms));
  while (!life.should_end()) {
    words::store(&host.word, host.word + 1);
    ASSERT_LT(std::chrono::steady_clock::now() - start, 60s);
  }
  EXPECT_EQ(life.why(), ending::lifetime_over);
}

TEST(Watch, StaysAtTheFirstReason) {
  host_side host;
  watch life(host.line(1ms));
  words::store(&host.word, life_line::stop);
  EXPECT_TRUE(ends_within(life, 64));
  std::this_thread::sleep_for(5ms);
  EXPECT_TRUE(ends_within(life, 64));
  EXPECT_EQ(life.why(), ending::stopped);
}

}  // namespace
}  // namespace pinhole::kernel
