// The kernel's ends of rings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "pinhole/core/config.hpp"
#include "pinhole/signal/team.hpp"
#include "pinhole/signal/watch.hpp"
#include "pinhole/signal/words.hpp"

namespace pinhole::kernel {

/// A count of elements with a mark: what the producer's word holds.
struct ring_tail {
  static constexpr std::uint64_t closed_bit = std::uint64_t{1} << 63U;
  std::uint64_t word = 0;

  [[nodiscard]] PINHOLE_HD constexpr std::uint64_t count() const { return word & ~closed_bit; }
  [[nodiscard]] PINHOLE_HD constexpr bool is_closed() const { return (word & closed_bit) != 0; }
};

/// The memory of a ring that the host fills, as kernels see it.
template <class T>
struct ring_source {
  const T* elements = nullptr;
  std::uint64_t capacity = 0;           ///< a power of two
  const std::uint64_t* tail = nullptr;  ///< written by the host: ring_tail
  std::uint64_t* head = nullptr;        ///< written by the kernel: how many it is done with
};

/// The memory of a ring that a kernel fills.
template <class T>
struct ring_sink {
  T* elements = nullptr;
  std::uint64_t capacity = 0;           ///< a power of two
  std::uint64_t* tail = nullptr;        ///< written by the kernel: ring_tail
  const std::uint64_t* head = nullptr;  ///< written by the host: how many it is done with
};

/// Takes elements out of a ring, in place. One team at a time owns the end; all its threads call
/// the members together and get the same results. Making one reads its own last position over the
/// link.
///
/// Ordering: system scope. Elements are visible once wait() or available() has counted them, and so
/// is all that the host wrote before it pushed them. release() tells the host only when all threads
/// of the team have come to it.
template <class T, class Team>
class ring_reader {
 public:
  PINHOLE_HD explicit ring_reader(const ring_source<T>& from, Team team = {}) noexcept
      : from_(from), team_(team), position_(words::look(from.head)) {
    team_.share(position_);
    seen_.word = position_;
  }

  /// How many elements can be read now, (*this)[0] first. Looks once.
  PINHOLE_HD std::uint64_t available() noexcept {
    if (team_.rank() == 0) {
      look();
    }
    return learn();
  }
  /// Waits until there is an element. 0: the ring is closed and empty, or the kernel must end.
  PINHOLE_HD std::uint64_t wait(watch& life) noexcept {
    if (team_.rank() == 0) {
      bool ends = false;
      while (!look() && !ends) {
        ends = life.should_end();  // and looks once more, for what was pushed before
      }
      life.found();
    }
    return learn();
  }
  [[nodiscard]] PINHOLE_HD const T& operator[](std::uint64_t i) const noexcept {
    return from_.elements[(position_ + i) & (from_.capacity - 1)];
  }
  /// How many of the first n elements lie side by side, &(*this)[0] first.
  [[nodiscard]] PINHOLE_HD std::uint64_t straight(std::uint64_t n) const noexcept {
    const std::uint64_t before_wrap = from_.capacity - (position_ & (from_.capacity - 1));
    return n < before_wrap ? n : before_wrap;
  }
  /// The first n elements are not needed any more.
  PINHOLE_HD void release(std::uint64_t n) noexcept {
    team_.sync();
    position_ += n;
    if (team_.rank() == 0) {
      words::release();
      words::store(from_.head, position_);
    }
  }
  /// No element will be pushed after those that available() counted last.
  [[nodiscard]] PINHOLE_HD bool is_closed() const noexcept { return seen_.is_closed(); }
  /// Elements released since the ring was made.
  [[nodiscard]] PINHOLE_HD std::uint64_t position() const noexcept { return position_; }

 private:
  /// True when there is something to tell: elements, or the end.
  PINHOLE_HD bool look() noexcept {
    seen_.word = words::look(from_.tail);
    return seen_.count() != position_ || seen_.is_closed();
  }
  PINHOLE_HD std::uint64_t learn() noexcept {
    if (team_.rank() == 0) {
      words::acquire();
    }
    team_.share(seen_);
    return seen_.count() - position_;
  }

  ring_source<T> from_;
  Team team_;
  std::uint64_t position_;
  ring_tail seen_;
};

/// Puts elements into a ring. One team at a time owns the end; all its threads call the members
/// together. The copy is made in accesses of up to 16 bytes, neighbouring threads at neighbouring
/// addresses, so that a warp fills whole lines of host memory.
///
/// Ordering: system scope. Who pops an element sees all that the team's threads wrote before.
template <class T, class Team>
class ring_writer {
 public:
  PINHOLE_HD explicit ring_writer(const ring_sink<T>& into, Team team = {}) noexcept
      : into_(into), team_(team), position_(ring_tail{words::look(into.tail)}.count()) {
    team_.share(position_);
    freed_ = position_ > into.capacity ? position_ - into.capacity : 0;
  }

  /// How many elements fit now. Looks only when it remembers less room than `enough`.
  PINHOLE_HD std::uint64_t room(std::uint64_t enough = 1) noexcept {
    if (free_slots() < enough) {
      if (team_.rank() == 0) {
        freed_ = words::look(into_.head);
      }
      learn();
    }
    return free_slots();
  }
  /// Pushes all n elements from `from` (device, shared or local memory, the same for all threads)
  /// and publishes them at once, or in as few parts as there is room. Returns how many were pushed:
  /// fewer only when the kernel must end.
  PINHOLE_HD std::uint64_t push(const T* from, std::uint64_t n, watch& life) noexcept {
    std::uint64_t done = 0;
    while (done < n && wait_for_room(life)) {
      const std::uint64_t left = n - done;
      const std::uint64_t part = left < free_slots() ? left : free_slots();
      copy_in(from + done, part);
      publish(part);
      done += part;
    }
    return done;
  }
  /// No element will follow.
  PINHOLE_HD void close() noexcept { store_tail(position_ | ring_tail::closed_bit); }
  /// Elements pushed since the ring was made.
  [[nodiscard]] PINHOLE_HD std::uint64_t position() const noexcept { return position_; }

 private:
  [[nodiscard]] PINHOLE_HD std::uint64_t free_slots() const noexcept {
    return into_.capacity - (position_ - freed_);
  }
  PINHOLE_HD void learn() noexcept {
    if (team_.rank() == 0) {
      words::acquire();  // the host's reads of what is overwritten now came before
    }
    team_.share(freed_);
  }
  PINHOLE_HD bool wait_for_room(watch& life) noexcept {
    if (free_slots() != 0) {
      return true;
    }
    if (team_.rank() == 0) {
      freed_ = words::look(into_.head);
      while (free_slots() == 0 && !life.should_end()) {
        freed_ = words::look(into_.head);
      }
      life.found();
    }
    learn();
    return free_slots() != 0;
  }
  PINHOLE_HD void copy_in(const T* from, std::uint64_t n) noexcept {
    const std::uint64_t first = position_ & (into_.capacity - 1);
    const std::uint64_t before_wrap = into_.capacity - first;
    const std::uint64_t straight = n < before_wrap ? n : before_wrap;
    copy(into_.elements + first, from, straight);
    copy(into_.elements, from + straight, n - straight);
  }
  PINHOLE_HD void publish(std::uint64_t n) noexcept {
    position_ += n;
    store_tail(position_);
  }
  PINHOLE_HD void store_tail(std::uint64_t tail) noexcept {
    team_.sync();
    if (team_.rank() == 0) {
      words::release();
      words::store(into_.tail, tail);
    }
  }

  PINHOLE_HD void copy(T* to, const T* from, std::uint64_t n) const noexcept {
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(T) % 16 == 0) {
      if ((reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from)) % 16 ==
          0) {
        copy_units<uint4>(to, from, n);
        return;
      }
    }
    using unit =
        std::conditional_t<alignof(T) >= 8, std::uint64_t,
                           std::conditional_t<alignof(T) >= 4, std::uint32_t, std::uint8_t>>;
    copy_units<unit>(to, from, n);
#else
    __builtin_memcpy(to, from, n * sizeof(T));
#endif
  }
  template <class Unit>
  PINHOLE_HD void copy_units(T* to, const T* from, std::uint64_t n) const noexcept {
    auto* const out = reinterpret_cast<Unit*>(to);
    const auto* const in = reinterpret_cast<const Unit*>(from);
    for (std::uint64_t i = team_.rank(); i < n * (sizeof(T) / sizeof(Unit)); i += team_.size()) {
      out[i] = in[i];
    }
  }

  ring_sink<T> into_;
  Team team_;
  std::uint64_t position_;
  std::uint64_t freed_;  // elements that the host is done with, as last seen
};

}  // namespace pinhole::kernel
