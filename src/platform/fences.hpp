// Fences for memory that the C++ memory model does not know: write-combining and device memory.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pinhole::platform {

/// The calling thread's stores so far, those in its write-combining buffers included, are on their
/// way to the device before any later store of this thread.
inline void drain_stores() noexcept {
#if defined(__x86_64__)
  _mm_sfence();
#elif defined(__aarch64__)
  asm volatile("dsb st" ::: "memory");
#else
  __sync_synchronize();
#endif
}

/// No later load of this thread begins before its earlier loads are done. Loads from
/// write-combining memory may be made early, unlike those from ordinary memory.
inline void order_loads() noexcept {
#if defined(__x86_64__)
  _mm_lfence();
#elif defined(__aarch64__)
  asm volatile("dsb ld" ::: "memory");
#else
  __sync_synchronize();
#endif
}

/// Both, and loads wait for the stores: what this thread wrote is read back as written, and nothing
/// that a load buffer still holds is taken for new.
inline void order_all() noexcept {
#if defined(__x86_64__)
  _mm_mfence();
#elif defined(__aarch64__)
  asm volatile("dsb sy" ::: "memory");
#else
  __sync_synchronize();
#endif
}

/// Throws the line of `address` out of the caches, where the machine lets a program do so.
inline void evict_line(const void* address) noexcept {
#if defined(__x86_64__)
  _mm_clflush(address);
#else
  static_cast<void>(address);
#endif
}

}  // namespace pinhole::platform
