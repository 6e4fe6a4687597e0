// A recorded point of a stream.
#pragma once

#include <atomic>
#include <memory>

#include "platform/platform.hpp"

namespace pinhole::detail {

/// Owns a driver event. Reused from hand-over to hand-over, so that nothing is allocated after the
/// first.
struct event {
  /// Throws when the driver cannot make one.
  explicit event(const device& where);
  /// For destructors: reports what fails (in silence once the driver has shut down), and then is
  /// null.
  static std::unique_ptr<event> try_make(const device& where, const char* asked) noexcept;
  ~event();
  event(const event&) = delete;
  event& operator=(const event&) = delete;

  device where;
  platform::native_event native = nullptr;

 private:
  event(const device& owner, platform::native_event made) noexcept : where(owner), native(made) {}
};

/// What remains of an owned stream for those who remember it: whether it still exists and, once it
/// does not, a mark behind its last work (null when nobody can still care).
struct stream_end {
  std::unique_ptr<event> last;  // written before `closed` is
  std::atomic<bool> closed{false};

  [[nodiscard]] bool is_closed() const noexcept { return closed.load(std::memory_order_acquire); }
};

}  // namespace pinhole::detail
