// Lets a program that is interrupted finish what must not be left half done.
#pragma once

namespace pinhole::platform {

/// From now on the first SIGINT and the first SIGTERM only leave a mark; the next one of its kind
/// ends the process as usual.
void defer_interrupts() noexcept;
/// The signal that left the mark, or 0. May be called from any thread.
[[nodiscard]] int deferred_interrupt() noexcept;

}  // namespace pinhole::platform
