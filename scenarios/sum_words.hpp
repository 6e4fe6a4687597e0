// Reads memory at the rate of the link: the kernel that `transfer` is about.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pinhole/core/view.hpp"
#include "pinhole/platform/stream.hpp"

namespace pinhole::scenarios {

/// What is read: words 0, stride, 2 * stride, ... of an array.
struct word_pattern {
  std::size_t words = 0;
  std::size_t stride = 1;

  [[nodiscard]] PINHOLE_HD constexpr std::size_t reads() const noexcept {
    return (words + stride - 1) / stride;
  }
};

/// How many blocks read a pattern, each of which leaves one sum behind. Enough to keep all of the
/// device's memory busy; the link alone would be busy with two.
[[nodiscard]] unsigned blocks_for(const device& where, const word_pattern& pattern);

/// Queues a kernel that adds up what `pattern` says of `words`, block b its share into sums[b], for
/// blocks_for() sums. It reads 16 bytes at a time, with four reads of each thread under way, so
/// `words` starts at a multiple of 16 bytes, as all buffers do. Throws fault::invalid_argument
/// otherwise.
void sum_words(const stream_ref& work, view<const std::uint32_t> words, const word_pattern& pattern,
               view<std::uint64_t> sums);

/// The same kernel over a bare pointer, which shows what a view costs.
void sum_words_bare(const stream_ref& work, const std::uint32_t* words, const word_pattern& pattern,
                    std::uint64_t* sums);

namespace detail {
inline constexpr unsigned sum_threads = 1024;
// The kernels, in sum_words.cu; not there in a CPU-only build.
[[nodiscard]] const void* sum_kernel();
[[nodiscard]] const void* sum_kernel_bare();
}  // namespace detail

}  // namespace pinhole::scenarios
