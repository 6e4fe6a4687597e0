// Streams of elements between the host and a kernel that stays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>

#include "pinhole/core/units.hpp"
#include "pinhole/platform/stream.hpp"
#include "pinhole/signal/ring_core.hpp"
#include "pinhole/signal/ring_end.hpp"
#include "pinhole/signal/waiting.hpp"

namespace pinhole {

namespace detail {
template <class T>
constexpr bool fits_ring() {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>,
                "a ring carries trivially copyable elements: put what they point to into a buffer, "
                "and its device() view or an index into the element");
  static_assert(
      sizeof(T) <= 64UL << 10U,
      "a ring carries elements of up to 64 KiB: put the bytes into a buffer, and where they "
      "are into the element");
  return true;
}
}  // namespace detail

/// Elements from one host thread to one kernel, bounded, in order. The elements and the count of
/// those pushed live in VRAM where the CPU reaches it, the count of those consumed in pinned host
/// memory. A batch is written in full and then published by one store, so push many at a time: a
/// span costs one store of the count, and the kernel sees it whole or not at all.
///
/// One producer: a push while another thread is pushing throws fault::invalid_argument. Ordering,
/// system scope: who reads an element sees all that the pushing thread wrote before.
///
/// Errors besides: fault::invalid_argument for a push after close() or resident::stop(), the
/// device's own error when the kernel has failed, fault::call_failed when it has ended otherwise,
/// fault::timed_out with the counts last seen.
template <class T>
class ring_to_device {
  static_assert(detail::fits_ring<T>());

 public:
  /// `capacity` elements, a power of two. Throws fault::invalid_argument for another one, and what
  /// allocations throw.
  ring_to_device(const pinhole::device& where, std::size_t capacity)
      : core_(detail::make_ring(where, detail::ring_way::to_device, capacity, sizeof(T))) {}

  /// Pushes as many as there is room for, from the front, and returns their number. Never waits.
  std::size_t push_some(std::span<const T> elements) {
    return core().push_some(elements.data(), elements.size());
  }
  bool try_push(const T& element) { return push_some({&element, 1}) == 1; }
  /// Pushes all, waiting for room. After a time-out a part is pushed: pushed() tells how much.
  void push(std::span<const T> elements, timeout limit,
            wait_policy policy = wait_policy::spin_then_yield) {
    core().push(elements.data(), elements.size(), limit, policy);
  }
  void push(const T& element, timeout limit, wait_policy policy = wait_policy::spin_then_yield) {
    push(std::span(&element, 1), limit, policy);
  }
  /// No element will follow. The kernel's reader sees it when it has read all. Closing twice is
  /// legal.
  void close() { core().close_tail(); }

  /// Elements pushed so far, and how many of them the kernel is done with.
  [[nodiscard]] std::uint64_t pushed() const { return core().tail(); }
  [[nodiscard]] std::uint64_t consumed() const { return core().head(); }
  /// Waits until the kernel is done with all that was pushed.
  void wait_until_consumed(timeout limit, wait_policy policy = wait_policy::spin_then_yield) {
    core().wait_until_consumed(limit, policy);
  }
  [[nodiscard]] std::size_t capacity() const { return core().capacity(); }

  /// For kernels: kernel::ring_reader takes it.
  [[nodiscard]] kernel::ring_source<T> device() const {
    return {reinterpret_cast<const T*>(core().elements_on_device()), core().capacity(),
            core().tail_on_device(), core().head_on_device()};
  }
  void to_device(const stream_ref& work) { core().to_device(work); }
  /// For resident, which keeps the ring's memory while it serves it.
  [[nodiscard]] std::shared_ptr<detail::bound> shared() const {
    core();
    return core_;
  }

 private:
  detail::ring_core& core() const {
    detail::check_not_moved_from(core_ != nullptr, "a ring");
    return *core_;
  }
  std::shared_ptr<detail::ring_core> core_;
};

/// Elements from one kernel to one host thread, bounded, in order. All but the count of elements
/// popped lives in pinned host memory; that count lives in VRAM where the CPU reaches it.
///
/// One consumer: a pop while another thread is popping throws fault::invalid_argument. Ordering and
/// errors as in ring_to_device.
template <class T>
class ring_to_host {
  static_assert(detail::fits_ring<T>());

 public:
  ring_to_host(const pinhole::device& where, std::size_t capacity)
      : core_(detail::make_ring(where, detail::ring_way::to_host, capacity, sizeof(T))) {}

  /// Pops as many as there are, at most out.size(); returns their number. Never waits.
  std::size_t pop_some(std::span<T> out) { return core().pop_some(out.data(), out.size()); }
  std::optional<T> try_pop() {
    T element;
    return pop_some({&element, 1}) == 1 ? std::optional(element) : std::nullopt;
  }
  /// Waits until there is at least one, and pops as pop_some() does. 0: the ring is closed and
  /// empty.
  std::size_t pop(std::span<T> out, timeout limit,
                  wait_policy policy = wait_policy::spin_then_yield) {
    return core().pop(out.data(), out.size(), limit, policy);
  }
  /// Waits for one. None: the ring is closed and empty.
  std::optional<T> pop(timeout limit, wait_policy policy = wait_policy::spin_then_yield) {
    T element;
    return pop({&element, 1}, limit, policy) == 1 ? std::optional(element) : std::nullopt;
  }
  /// The oldest elements where they lie, as many as lie side by side; they stay until pop_front()
  /// has given their room back to the kernel. Never waits.
  [[nodiscard]] std::span<const T> front() {
    std::size_t n = 0;
    const void* const first = core().front(n);
    return {static_cast<const T*>(first), n};
  }
  /// Pops the first n elements of front() without copying them. Throws fault::invalid_argument for
  /// more than there are.
  void pop_front(std::size_t n) { core().pop_front(n); }
  /// Whether the kernel has closed the ring. There may still be elements to pop.
  [[nodiscard]] bool is_closed() const { return core().is_closed(); }
  [[nodiscard]] std::uint64_t pushed() const { return core().tail(); }
  [[nodiscard]] std::uint64_t popped() const { return core().head(); }
  [[nodiscard]] std::size_t capacity() const { return core().capacity(); }

  /// For kernels: kernel::ring_writer takes it.
  [[nodiscard]] kernel::ring_sink<T> device() const {
    return {reinterpret_cast<T*>(core().elements_on_device()), core().capacity(),
            core().tail_on_device(), core().head_on_device()};
  }
  void to_device(const stream_ref& work) { core().to_device(work); }
  /// For resident, which keeps the ring's memory while it serves it.
  [[nodiscard]] std::shared_ptr<detail::bound> shared() const {
    core();
    return core_;
  }

 private:
  detail::ring_core& core() const {
    detail::check_not_moved_from(core_ != nullptr, "a ring");
    return *core_;
  }
  std::shared_ptr<detail::ring_core> core_;
};

}  // namespace pinhole
