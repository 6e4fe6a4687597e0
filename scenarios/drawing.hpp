// Numbers that look random, and positions that are drawn with them: the same on host and device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pinhole/core/config.hpp"

namespace pinhole::scenarios {

/// A permutation of 64-bit numbers that is hard to see through: who wants its inverse must search.
PINHOLE_HD constexpr std::uint64_t scramble(std::uint64_t x) noexcept {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

/// Distinct positions all over an array: the i-th of them lies in the i-th of equal parts, anywhere
/// in it. Each can be told without the others, so a kernel draws them all at once.
class drawing {
 public:
  /// `count` of the positions [0, size); at least 1 and at most `size`, which is below 2^32.
  PINHOLE_HD constexpr drawing(std::uint64_t key, std::uint64_t size, std::uint64_t count) noexcept
      : key_(key), part_((size << 32U) / count) {}

  [[nodiscard]] PINHOLE_HD constexpr std::size_t operator[](std::size_t i) const noexcept {
    const std::uint64_t first = i * part_ >> 32U;
    const std::uint64_t next = (i + 1) * part_ >> 32U;
    return first + ((scramble(key_ + i) >> 32U) * (next - first) >> 32U);
  }

 private:
  std::uint64_t key_;
  std::uint64_t part_;  ///< size of a part, in units of 2^-32: kernels need not divide
};

}  // namespace pinhole::scenarios
