// The loads, stores and fences by which host and device talk while both run.
#pragma once

#include <chrono>
#include <cstdint>

#include "pinhole/core/config.hpp"

#if !defined(__CUDA_ARCH__)
#include <atomic>
#endif

/// Everything that a signal does to memory which the other side touches at the same time goes
/// through these functions; tests/codegen pins down what they compile to.
///
/// In kernels they are PTX of system scope, and order is asked for by name (acquire, release): a
/// plain look is relaxed. On the host, and in kernels of the
/// CPU device, every look acquires and every store releases on the word itself: on x86 that is what
/// plain loads and stores do, and it is what ThreadSanitizer understands. No word has two writers,
/// and nothing here is a read-modify-write.
namespace pinhole::words {

/// Sixteen bytes that a kernel loads or stores at once. The host, and the CPU device, store the
/// high half last and load it first: who sees a new high half sees the new low half too.
struct alignas(16) pair {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

/// One look at a word that the other side writes.
PINHOLE_HD inline std::uint64_t look(const std::uint64_t* word) noexcept {
#if defined(__CUDA_ARCH__)
  std::uint64_t value;
  asm volatile("ld.relaxed.sys.global.b64 %0, [%1];"
               : "=l"(value)
               : "l"(__cvta_generic_to_global(word))
               : "memory");
  return value;
#else
  return std::atomic_ref(*const_cast<std::uint64_t*>(word)).load(std::memory_order_acquire);
#endif
}

/// Both halves. In a kernel this is one access of 16 bytes.
PINHOLE_HD inline pair look(const pair* both) noexcept {
  pair value;
#if defined(__CUDA_ARCH__)
  asm volatile(
      "{\n\t.reg .b128 both;\n\t"
      "ld.relaxed.sys.global.b128 both, [%2];\n\t"
      "mov.b128 {%0, %1}, both;\n\t}"
      : "=l"(value.low), "=l"(value.high)
      : "l"(__cvta_generic_to_global(both))
      : "memory");
#else
  value.high = look(&both->high);
  value.low = look(&both->low);
#endif
  return value;
}

/// A look that acquires: what the other side wrote before it stored what is seen may be read after
/// it. A fence behind a plain look, acquire(), does the same but waits for this thread's own stores
/// as well, which takes half a microsecond on an H200.
PINHOLE_HD inline std::uint64_t look_acquire(const std::uint64_t* word) noexcept {
#if defined(__CUDA_ARCH__)
  std::uint64_t value;
  asm volatile("ld.acquire.sys.global.b64 %0, [%1];"
               : "=l"(value)
               : "l"(__cvta_generic_to_global(word))
               : "memory");
  return value;
#else
  return look(word);
#endif
}

PINHOLE_HD inline pair look_acquire(const pair* both) noexcept {
#if defined(__CUDA_ARCH__)
  pair value;
  asm volatile(
      "{\n\t.reg .b128 both;\n\t"
      "ld.acquire.sys.global.b128 both, [%2];\n\t"
      "mov.b128 {%0, %1}, both;\n\t}"
      : "=l"(value.low), "=l"(value.high)
      : "l"(__cvta_generic_to_global(both))
      : "memory");
  return value;
#else
  return look(both);
#endif
}

/// Stores a word for the other side. In a kernel it orders nothing.
PINHOLE_HD inline void store(std::uint64_t* word, std::uint64_t value) noexcept {
#if defined(__CUDA_ARCH__)
  asm volatile("st.relaxed.sys.global.b64 [%0], %1;"
               :
               : "l"(__cvta_generic_to_global(word)), "l"(value)
               : "memory");
#else
  std::atomic_ref(*word).store(value, std::memory_order_release);
#endif
}

PINHOLE_HD inline void store(pair* both, const pair& value) noexcept {
#if defined(__CUDA_ARCH__)
  asm volatile(
      "{\n\t.reg .b128 both;\n\t"
      "mov.b128 both, {%1, %2};\n\t"
      "st.relaxed.sys.global.b128 [%0], both;\n\t}"
      :
      : "l"(__cvta_generic_to_global(both)), "l"(value.low), "l"(value.high)
      : "memory");
#else
  store(&both->low, value.low);
  store(&both->high, value.high);
#endif
}

/// After a look: all that the other side wrote before it stored what was seen may now be read.
PINHOLE_HD inline void acquire() noexcept {
#if defined(__CUDA_ARCH__)
  asm volatile("fence.acq_rel.sys;" ::: "memory");
#endif
}

/// Before a store: who sees it sees all that this thread wrote or saw before.
PINHOLE_HD inline void release() noexcept {
#if defined(__CUDA_ARCH__)
  asm volatile("fence.acq_rel.sys;" ::: "memory");
#endif
}

/// Nanoseconds of a clock that goes on while nothing else does.
PINHOLE_HD inline std::uint64_t now_ns() noexcept {
#if defined(__CUDA_ARCH__)
  std::uint64_t value;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(value));
  return value;
#else
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
#endif
}

/// A word that the host writes and kernels poll. Where it lives in host memory, many pollers would
/// make the link the bottleneck (32 blocks: 74 us a turn on an H200), so there one thread at a time
/// looks over the link and the others read, from device memory, what was seen last.
struct polled {
  const std::uint64_t* word = nullptr;
  std::uint64_t* relay = nullptr;  ///< {last seen, taken}, in device memory; null: not needed

  PINHOLE_HD std::uint64_t look() const noexcept {
    return relay == nullptr ? words::look(word) : look_in_turn();
  }
  PINHOLE_HD std::uint64_t look_acquire() const noexcept {
    if (relay == nullptr) {
      return words::look_acquire(word);
    }
    const std::uint64_t value = look_in_turn();
    acquire();
    return value;
  }

 private:
  PINHOLE_HD std::uint64_t look_in_turn() const noexcept {
#if defined(__CUDA_ARCH__)
    auto* const taken = reinterpret_cast<unsigned long long*>(relay + 1);
    if (atomicCAS(taken, 0ULL, 1ULL) != 0) {
      return words::look(relay);
    }
    words::acquire();  // of the turn: nobody looked at anything newer before
    const std::uint64_t value = words::look(word);
    words::release();
    words::store(relay, value);
    words::release();
    atomicExch(taken, 0ULL);
    return value;
#else
    return words::look(word);
#endif
  }
};

}  // namespace pinhole::words
