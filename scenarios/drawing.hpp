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

/// Distinct positions all over an array: the i-th lies in the i-th of equal shares, anywhere in it.
/// Who has the key can tell any of them without the others, so a kernel draws them all at once.
struct drawing {
  std::uint64_t key = 0;
  std::uint64_t share = 1;  ///< elements of the array / positions, rounded down; below 2^32

  [[nodiscard]] PINHOLE_HD constexpr std::size_t operator[](std::size_t i) const noexcept {
    return i * share + ((scramble(key + i) >> 32U) * share >> 32U);
  }
};

}  // namespace pinhole::scenarios
