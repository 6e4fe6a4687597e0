// Where the words of a signal live.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pinhole/memory/storage.hpp"
#include "pinhole/signal/words.hpp"

namespace pinhole::detail {

/// Memory that kernels poll and the host writes: VRAM where the CPU reaches it, else pinned host
/// memory. Zeroed. Throws what the allocation throws.
[[nodiscard]] storage_handle make_device_polled(const device& where, std::size_t bytes);
/// Memory that the host polls and kernels write: pinned host memory. Zeroed.
[[nodiscard]] storage_handle make_host_polled(const device& where, std::size_t bytes);
/// Memory that kernels alone use. Zeroed.
[[nodiscard]] storage_handle make_device_only(const device& where, std::size_t bytes);

/// Whether the stores of the host wait in write-combining buffers, as those to VRAM do.
[[nodiscard]] bool is_write_combining(const storage& polled) noexcept;
/// Whether kernels that poll this memory do so over the link.
[[nodiscard]] bool is_polled_over_link(const storage& polled) noexcept;

/// Writes words that kernels poll. Whatever kind of memory it is, what the calling thread wrote
/// before is visible, at system scope, to whoever sees the word; and the word is on its way when
/// the call returns.
class word_writer {
 public:
  explicit word_writer(const storage& polled) noexcept;
  void store(std::uint64_t* word, std::uint64_t value) const noexcept;

 private:
  bool drains_;  // stores to VRAM wait in write-combining buffers
};

/// A word that many blocks may poll: alone in its line, with a relay in device memory where it is
/// in host memory.
class polled_word {
 public:
  explicit polled_word(const device& where);
  void store(std::uint64_t value) const noexcept;
  [[nodiscard]] words::polled on_device() const noexcept;
  void to_device(const stream_ref& work);

 private:
  storage_handle word_;
  storage_handle relay_;  // null where it is not needed
};

}  // namespace pinhole::detail
