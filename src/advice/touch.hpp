// The kernel of an access pattern: touches units of an array in the pattern's order. Calibration
// measures with it, and so do the trials that judge the advice.
#pragma once

#include <cstdint>

#include "pinhole/advice/access_pattern.hpp"
#include "pinhole/core/view.hpp"
#include "pinhole/platform/stream.hpp"

namespace pinhole::advice {

/// Runs of neighbours anywhere in an array, in an order that looks random. A kernel can tell each
/// of them without the others.
class run_order {
 public:
  constexpr run_order() noexcept = default;
  /// `runs` of the `all` runs that the array has room for, at least 1 and at most `all`.
  constexpr run_order(std::uint32_t runs, std::uint32_t all, std::uint32_t key) noexcept
      : runs_(runs), mask_(runs - 1), key_(key), part_((std::uint64_t{all} << 32U) / runs) {
    for (unsigned shift = 1; shift < 32; shift *= 2) {
      mask_ |= mask_ >> shift;
    }
    unsigned bits = 0;
    for (std::uint32_t rest = mask_; rest != 0; rest >>= 1U) {
      ++bits;
    }
    half_ = bits / 2 + 1;
  }

  [[nodiscard]] PINHOLE_HD constexpr std::uint32_t size() const noexcept { return runs_; }

  /// Which of all runs is the i-th: the j-th lies in the j-th of equal parts, anywhere in it, and
  /// the order of the parts is scrambled.
  [[nodiscard]] PINHOLE_HD constexpr std::uint64_t operator[](std::uint32_t i) const noexcept {
    const std::uint64_t j = scrambled(i);
    const std::uint64_t first = j * part_ >> 32U;
    const std::uint64_t next = (j + 1) * part_ >> 32U;
    const auto drawn = (static_cast<std::uint32_t>(j) ^ key_) * 0x9E3779B1U;
    return first + (std::uint64_t{drawn} * (next - first) >> 32U);
  }

 private:
  /// A permutation of the numbers below `runs`: one of the next power of two, repeated until it is
  /// among them.
  [[nodiscard]] PINHOLE_HD constexpr std::uint32_t scrambled(std::uint32_t i) const noexcept {
    do {
      i = i * 0x9E3779B1U & mask_;
      i ^= i >> half_;
      i = i * 0x85EBCA6BU & mask_;
      i ^= i >> half_;
    } while (i >= runs_);
    return i;
  }

  std::uint32_t runs_ = 0;
  std::uint32_t mask_ = 0;
  std::uint32_t key_ = 0;
  std::uint32_t half_ = 1;
  std::uint64_t part_ = 0;
};

/// What the kernel does.
struct touch_plan {
  run_order runs;
  std::uint32_t run_words = 1;
  std::uint32_t passes = 1;  ///< over what is read
  std::uint32_t tag = 0;     ///< of what is written
  bool reads = false;
  bool writes = false;

  /// The first word of the run that is touched as number `i`.
  [[nodiscard]] PINHOLE_HD constexpr std::uint64_t start_of(std::uint32_t i) const noexcept {
    return runs[i] * run_words;
  }
};

/// What word `k` of any run holds after it was written with `tag`.
[[nodiscard]] PINHOLE_HD constexpr std::uint32_t content_of(std::uint64_t k,
                                                            std::uint32_t tag) noexcept {
  return (static_cast<std::uint32_t>(k) & 0x3FFFU) * 0x9E3779B1U + tag;
}
inline constexpr std::uint64_t content_period = 0x4000;

/// The plan of a pattern over its whole array, in words of 4 bytes. Throws fault::invalid_argument
/// unless units are whole words and the array has at most 2^31 of them.
[[nodiscard]] touch_plan plan_of(const access_pattern& pattern, std::uint32_t key);

/// How many sums the kernel leaves behind.
[[nodiscard]] unsigned blocks_for(const device& where, const touch_plan& plan);

/// Queues the kernel. Where the plan reads, block b adds up its words into sums[b], for
/// blocks_for() sums. `words` starts at a multiple of 16 bytes, as all buffers do.
void touch(const stream_ref& work, view<std::uint32_t> words, const touch_plan& plan,
           view<std::uint64_t> sums);

/// What the sums add up to when every word was written with `tag`.
[[nodiscard]] std::uint64_t sum_of(const touch_plan& plan, std::uint32_t tag);

namespace detail {
inline constexpr unsigned touch_threads = 256;
// In touch.cu; not there in a CPU-only build.
[[nodiscard]] const void* touch_kernel(bool in_pieces_of_16_bytes);
}  // namespace detail

}  // namespace pinhole::advice
