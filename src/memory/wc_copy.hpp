// Copies into and out of write-combining memory, by the widest instructions that the CPU has.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace pinhole::detail {

/// How whole lines of 64 bytes are moved. Which of them the running CPU has is asked once.
enum class wc_method {
  plain,      ///< 8-byte words, in C++: every machine
  sse2,       ///< streaming stores of 16 bytes
  avx2,       ///< of 32 bytes
  avx512,     ///< of 64 bytes
  movdir64b,  ///< one write of 64 bytes that is never split; loads as avx512 or avx2
};
[[nodiscard]] std::string_view to_string(wc_method how) noexcept;

/// The methods that this CPU has, each with its copies. On write-combining memory addresses are
/// aligned on the *far* side, where each access becomes a packet on the link: whole lines by the
/// method, what is left at the ends in steps of 8, 4, 2 and 1 bytes.
struct wc_copies {
  wc_method how;
  /// Near memory to far memory. Not drained: see drain_stores().
  void (*store)(std::byte* far, const std::byte* near, std::size_t bytes);
  /// Far memory to near memory. The caller orders it behind earlier accesses: see order_all().
  void (*load)(std::byte* near, const std::byte* far, std::size_t bytes);
};
[[nodiscard]] std::span<const wc_copies> all_wc_copies() noexcept;

/// The fastest of them, as measured; see docs/guide/when-the-cpu-should-write-to-gpu-memory.md.
[[nodiscard]] const wc_copies& best_wc_copies() noexcept;

/// Copies and drains: any later store of this thread is seen after the bytes.
void wc_write(void* far, const void* near, std::size_t bytes) noexcept;
/// Copies what is there now: neither before this thread's earlier stores nor from a load buffer.
void wc_read(void* near, const void* far, std::size_t bytes) noexcept;

}  // namespace pinhole::detail
