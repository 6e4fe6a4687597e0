// Which threads work together at one end of a signal: one, a warp, or a block.
#pragma once

#include <cstdint>
#include <type_traits>

#include "pinhole/core/config.hpp"
#include "pinhole/signal/ordering.hpp"

#if !defined(__CUDA_ARCH__)
#include <atomic>
#endif

/// A team is a value without state. All its threads call the same members at the same point. On the
/// CPU device, where a block is one thread, every team has one member.
///
/// sync() orders the memory accesses of the members as __syncthreads() does. share(value) gives
/// every member the value of rank 0. A block has two more: hand_out(value) is a share() without its
/// second barrier, for callers who sync() before the next one; any(is_so) is a sync() that tells
/// whether one of them is so.
namespace pinhole::kernel {

namespace detail {
static_assert(sizeof(unsigned) == 4);

/// A value as 32-bit words, which is what shuffles move.
template <class T>
struct as_words {
  static constexpr unsigned count = (sizeof(T) + 3) / 4;
  std::uint32_t word[count] = {};

  as_words() = default;
  PINHOLE_HD explicit as_words(const T& value) noexcept {
    __builtin_memcpy(word, &value, sizeof(T));
  }
  PINHOLE_HD void to(T& value) const noexcept { __builtin_memcpy(&value, word, sizeof(T)); }
};
}  // namespace detail

/// Which block of how many runs.
struct grid_place {
  unsigned block = 0;
  unsigned blocks = 1;
};

struct one_thread {
  [[nodiscard]] PINHOLE_HD unsigned rank() const noexcept { return 0; }
  [[nodiscard]] PINHOLE_HD unsigned size() const noexcept { return 1; }
  PINHOLE_HD void sync() const noexcept {}
  template <class T>
  PINHOLE_HD void share(T& /*value*/) const noexcept {}
};

/// The 32 threads of a warp, all of which must take part.
struct one_warp {
  [[nodiscard]] PINHOLE_HD unsigned rank() const noexcept {
#if defined(__CUDA_ARCH__)
    return threadIdx.x % 32;
#else
    return 0;
#endif
  }
  [[nodiscard]] PINHOLE_HD unsigned size() const noexcept {
#if defined(__CUDA_ARCH__)
    return 32;
#else
    return 1;
#endif
  }
  PINHOLE_HD void sync() const noexcept {
#if defined(__CUDA_ARCH__)
    __syncwarp();
#endif
  }
  template <class T>
  PINHOLE_HD void share([[maybe_unused]] T& value) const noexcept {
    static_assert(std::is_trivially_copyable_v<T>);
#if defined(__CUDA_ARCH__)
    detail::as_words<T> words(value);
    for (auto& word : words.word) {
      word = __shfl_sync(~0U, word, 0);
    }
    words.to(value);
#endif
  }
};

/// All threads of a one-dimensional block, all of which must take part.
struct one_block {
  [[nodiscard]] PINHOLE_HD unsigned rank() const noexcept {
#if defined(__CUDA_ARCH__)
    return threadIdx.x;
#else
    return 0;
#endif
  }
  [[nodiscard]] PINHOLE_HD unsigned size() const noexcept {
#if defined(__CUDA_ARCH__)
    return blockDim.x;
#else
    return 1;
#endif
  }
  PINHOLE_HD void sync() const noexcept {
#if defined(__CUDA_ARCH__)
    __syncthreads();
#endif
  }
  template <class T>
  PINHOLE_HD void share([[maybe_unused]] T& value) const noexcept {
    static_assert(std::is_trivially_copyable_v<T>);
#if defined(__CUDA_ARCH__)
    hand_out(value);
    __syncthreads();  // before the box is used again
#endif
  }
  template <class T>
  PINHOLE_HD void hand_out([[maybe_unused]] T& value) const noexcept {
    static_assert(std::is_trivially_copyable_v<T>);
#if defined(__CUDA_ARCH__)
    __shared__ alignas(16) unsigned char box[sizeof(T)];
    if (rank() == 0) {
      __builtin_memcpy(box, &value, sizeof(T));
    }
    __syncthreads();
    __builtin_memcpy(&value, box, sizeof(T));
#endif
  }
  [[nodiscard]] PINHOLE_HD bool any(bool is_so) const noexcept {
#if defined(__CUDA_ARCH__)
    return __syncthreads_or(is_so ? 1 : 0) != 0;
#else
    return is_so;
#endif
  }
};

/// Adds to a number in device memory and returns the new value. Orders the memory of the device:
/// whoever counts last has seen all that the others wrote before they did. With ordering::messages
/// it is the number alone that is told. Never for host memory: nothing counts across the link.
PINHOLE_HD inline std::uint64_t count_up(std::uint64_t* number, std::uint64_t by = 1,
                                         ordering orders = ordering::all_memory) noexcept {
#if defined(__CUDA_ARCH__)
  std::uint64_t before;
  if (orders == ordering::all_memory) {
    asm volatile("atom.add.acq_rel.gpu.global.u64 %0, [%1], %2;"
                 : "=l"(before)
                 : "l"(__cvta_generic_to_global(number)), "l"(by)
                 : "memory");
  } else {
    asm volatile("atom.add.relaxed.gpu.global.u64 %0, [%1], %2;"
                 : "=l"(before)
                 : "l"(__cvta_generic_to_global(number)), "l"(by)
                 : "memory");
  }
  return before + by;
#else
  // The CPU device orders in both: what it saves there is nothing.
  static_cast<void>(orders);
  return std::atomic_ref(*number).fetch_add(by, std::memory_order_acq_rel) + by;
#endif
}

}  // namespace pinhole::kernel
