// A flag that each side can raise for the other while both run.
#pragma once

#include <cstdint>
#include <memory>

#include "pinhole/core/units.hpp"
#include "pinhole/platform/stream.hpp"
#include "pinhole/signal/ordering.hpp"
#include "pinhole/signal/waiting.hpp"
#include "pinhole/signal/words.hpp"

namespace pinhole {

namespace kernel {

/// The kernel's end of a flag. A value; any number of threads may hold copies and look. Raising
/// from several threads at once is one raise; lowering is for one thread at a time.
///
/// Ordering: system scope. Whoever sees the flag raised sees all that the raising thread wrote or
/// saw before it raised, on the other side of the link too. The two calls for kernels that count by
/// themselves can leave that out with ordering::messages, where the flag is all that is said.
class flag_end {
 public:
  /// Raises the flag that the host sees. Nothing crosses the link but one store.
  PINHOLE_HD void raise() const noexcept {
    const std::uint64_t next = words::look(own_) + 1;
    words::store(own_, next);
    words::release();
    words::store(up_, next);
  }
  /// Lowers the flag that the host raised. A raise that comes later raises it again.
  PINHOLE_HD void lower() const noexcept { words::store(own_ + 1, down_.look()); }
  /// Whether the host has raised its flag since lower().
  [[nodiscard]] PINHOLE_HD bool is_raised() const noexcept {
    return down_.look_acquire() != words::look(own_ + 1);
  }
  /// Waits without a deadline, until the host has raised its flag (true) or the resident kernel
  /// must end (false).
  template <class Watch>
  [[nodiscard]] PINHOLE_HD bool wait_until_raised(Watch& life) const noexcept {
    const std::uint64_t lowered = words::look(own_ + 1);
    bool ends = false;
    while (down_.look_acquire() == lowered) {
      if (ends) {
        return false;
      }
      ends = life.should_end();
    }
    life.found();
    return true;
  }

  /// For kernels of several blocks, where each block counts by itself: waits until the host has
  /// raised its flag `times` times since the flag was made.
  template <class Watch>
  [[nodiscard]] PINHOLE_HD bool wait_for_raise(
      std::uint64_t times, Watch& life, ordering orders = ordering::all_memory) const noexcept {
    bool ends = false;
    while ((orders == ordering::messages ? down_.look() : down_.look_acquire()) < times) {
      if (ends) {
        return false;
      }
      ends = life.should_end();
    }
    life.found();
    return true;
  }
  /// And its answer: raises the host's flag as the `times`-th raise since the flag was made. Only
  /// grows, and is not to be mixed with raise().
  PINHOLE_HD void raise_to(std::uint64_t times,
                           ordering orders = ordering::all_memory) const noexcept {
    if (orders == ordering::all_memory) {
      words::release();
    }
    words::store(up_, times);
  }

  /// For flag::device().
  flag_end(words::polled down, std::uint64_t* up, std::uint64_t* own) noexcept
      : down_(down), up_(up), own_(own) {}

 private:
  words::polled down_;  // how often the host has raised
  std::uint64_t* up_;   // how often the kernels have
  std::uint64_t* own_;  // {raised, lowered at}: the device's own, in device memory
};

}  // namespace kernel

namespace detail {
struct flag_words;
}

/// Two flags, one in each direction: raise() raises the one that the other side sees; is_raised(),
/// wait_until_raised() and lower() are about the one that the other side raises. So the host lowers
/// what kernels raise, and the other way round, and yet each word has one writer: a raise counts up
/// the raiser's word, and to lower is to remember the count. A raise is never lost to a lower that
/// came before it.
///
/// The word that kernels poll lives in VRAM where the CPU reaches it, the one that the host polls
/// in pinned host memory. For one host thread at a time; moves, never copies. A flag that is
/// destroyed while the stream or the resident kernel that it was handed to still runs stays until
/// that is done.
class flag {
 public:
  /// Throws fault::not_supported where the device cannot map host memory, and what allocations
  /// throw.
  explicit flag(const pinhole::device& where);
  ~flag();
  flag(flag&&) noexcept;
  flag& operator=(flag&&) noexcept;
  flag(const flag&) = delete;             // two would be two writers of one word
  flag& operator=(const flag&) = delete;  // two would be two writers of one word

  /// Kernels that see it raised see all that the calling thread wrote before. System scope.
  void raise();
  /// Forgets the raises of kernels so far.
  void lower();
  /// Whether a kernel has raised its flag since lower(). True: what the raising thread had written
  /// before may be read. System scope.
  [[nodiscard]] bool is_raised() const;
  /// Waits for it. Throws fault::timed_out with what was last seen, and what the work failed with
  /// to which the flag was handed last. `work`, when given, is the stream of the kernel that is to
  /// raise it: one that ended without raising is fault::call_failed.
  void wait_until_raised(timeout limit, wait_policy policy = wait_policy::spin_then_yield,
                         const stream_ref* work = nullptr) const;

  /// The kernel's end, valid until the flag is destroyed.
  [[nodiscard]] kernel::flag_end device() const;
  /// Keeps the flag's memory alive until `work` is done with what is queued then, even if the flag
  /// is destroyed, and has waits look whether it failed. Moves nothing.
  void to_device(const stream_ref& work);

 private:
  [[nodiscard]] detail::flag_words& words() const;
  std::unique_ptr<detail::flag_words> words_;
};

}  // namespace pinhole
