// The part of a host wait that is not the look itself: deadline, policy, and when to ask the
// driver.
#pragma once

#include <chrono>
#include <string>

#include "pinhole/core/units.hpp"
#include "pinhole/platform/device.hpp"
#include "pinhole/signal/waiting.hpp"

namespace pinhole::detail {

class host_wait {
 public:
  host_wait(const device& where, timeout limit, wait_policy policy) noexcept
      : where_(where), limit_(limit.limit()), policy_(policy) {}

  enum class step {
    look_again,
    look_at_kernel,  ///< query the stream of the kernel that is waited for, then look again
    out_of_time,     ///< look once more, then give_up()
  };
  /// Call after a look that found nothing. A counter, most of the time: the clock is first read at
  /// the 128th look, which is also when the wait begins to count.
  [[nodiscard]] step next() { return ++looks_ % looks_per_pause != 0 ? step::look_again : pause(); }

  /// Throws fault::timed_out: "cannot <asked>: the deadline of 50 us has passed after 51 us;
  /// <seen>; <remedy>".
  [[noreturn]] void give_up(std::string asked, const std::string& seen, std::string remedy) const;

 private:
  static constexpr unsigned looks_per_pause = 128;
  using clock = std::chrono::steady_clock;
  step pause();

  const device& where_;
  std::chrono::nanoseconds limit_;
  wait_policy policy_;
  unsigned looks_ = 0;
  clock::time_point start_;
  clock::duration waited_{0};
  clock::duration next_query_{0};
};

/// Looks until `ready()` is true (then true) or the wait is over (false). `ask_kernel()` is called
/// every few microseconds; it throws when the kernel has failed and returns true when it has ended,
/// after which one more look decides.
template <class Ready, class AskKernel>
bool wait_until(host_wait& waiting, Ready&& ready, AskKernel&& ask_kernel) {
  while (!ready()) {
    switch (waiting.next()) {
      case host_wait::step::look_again:
        break;
      case host_wait::step::look_at_kernel:
        if (ask_kernel()) {
          return ready();
        }
        break;
      case host_wait::step::out_of_time:
        return ready();
    }
  }
  return true;
}

}  // namespace pinhole::detail
