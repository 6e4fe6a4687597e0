// The handler does the one thing that is safe in a handler.
#include "platform/linux/interrupt.hpp"

#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction is not in <csignal>

#include <atomic>

namespace pinhole::platform {

namespace {

std::atomic<int> received{0};
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void remember(int signal) {
  received.store(signal, std::memory_order_relaxed);
}

}  // namespace

void defer_interrupts() noexcept {
  struct sigaction once{};
  once.sa_handler = remember;
  once.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
  for (const int signal : {SIGINT, SIGTERM}) {
    (void)sigaction(signal, &once, nullptr);
  }
}

int deferred_interrupt() noexcept {
  return received.load(std::memory_order_relaxed);
}

}  // namespace pinhole::platform
