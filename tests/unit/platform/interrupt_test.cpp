// Deferred interrupts, in children that are interrupted.
#include "platform/linux/interrupt.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <stdexcept>

#include "tests/support/os.hpp"

namespace pinhole::platform {
namespace {

TEST(Interrupt, OnlyLeavesAMarkTheFirstTime) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const auto child = test::in_forked_child([signal] {
      if (deferred_interrupt() != 0) {
        throw std::runtime_error("a mark before any signal");
      }
      defer_interrupts();
      std::raise(signal);
      if (deferred_interrupt() != signal) {
        throw std::runtime_error("no mark");
      }
    });
    EXPECT_EQ(child.exit_code, 0) << child.output;
  }
}

TEST(Interrupt, EndsTheProcessTheSecondTime) {
  const auto child = test::in_forked_child([] {
    defer_interrupts();
    std::raise(SIGINT);
    std::raise(SIGINT);
  });
  EXPECT_EQ(child.exit_code, 128 + SIGINT) << child.output;
}

}  // namespace
}  // namespace pinhole::platform
