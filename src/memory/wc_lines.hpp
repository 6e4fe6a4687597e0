// The frame of every copy: the ends in small steps, the lines between by a method of its own.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace pinhole::detail {

inline constexpr std::size_t line_bytes = 64;

// Words that may lie over objects of any type.
using word8 = std::uint8_t __attribute__((may_alias));
using word16 = std::uint16_t __attribute__((may_alias));
using word32 = std::uint32_t __attribute__((may_alias));
using word64 = std::uint64_t __attribute__((may_alias));

/// One store of exactly this width to far memory; volatile, so that the compiler neither joins nor
/// splits it.
template <class Word>
void store_word(std::byte* far, const std::byte* near) noexcept {
  Word value;
  std::memcpy(&value, near, sizeof(value));
  *reinterpret_cast<volatile Word*>(far) = value;
}
template <class Word>
void load_word(std::byte* near, const std::byte* far) noexcept {
  const Word value = *reinterpret_cast<const volatile Word*>(far);
  std::memcpy(near, &value, sizeof(value));
}

/// The widest power of two up to 8 that `far` is aligned to and that fits into `bytes` > 0.
inline std::size_t step_at(const std::byte* far, std::size_t bytes) noexcept {
  const auto aligned = std::size_t{1}
                       << std::countr_zero(reinterpret_cast<std::uintptr_t>(far) | 8U);
  return std::min(aligned, std::bit_floor(bytes));
}

inline void store_steps(std::byte* far, const std::byte* near, std::size_t bytes) noexcept {
  while (bytes > 0) {
    const auto step = step_at(far, bytes);
    switch (step) {
      case 8:
        store_word<word64>(far, near);
        break;
      case 4:
        store_word<word32>(far, near);
        break;
      case 2:
        store_word<word16>(far, near);
        break;
      default:
        store_word<word8>(far, near);
    }
    far += step;
    near += step;
    bytes -= step;
  }
}

inline void load_steps(std::byte* near, const std::byte* far, std::size_t bytes) noexcept {
  while (bytes > 0) {
    const auto step = step_at(far, bytes);
    switch (step) {
      case 8:
        load_word<word64>(near, far);
        break;
      case 4:
        load_word<word32>(near, far);
        break;
      case 2:
        load_word<word16>(near, far);
        break;
      default:
        load_word<word8>(near, far);
    }
    far += step;
    near += step;
    bytes -= step;
  }
}

/// Bytes from `far` to the next line.
inline std::size_t head_of(const std::byte* far, std::size_t bytes) noexcept {
  const auto into = reinterpret_cast<std::uintptr_t>(far) % line_bytes;
  return std::min(bytes, (line_bytes - into) % line_bytes);
}

using line_copy = void (*)(std::byte* to, const std::byte* from, std::size_t lines);

template <line_copy Lines>
void store_by(std::byte* far, const std::byte* near, std::size_t bytes) {
  const auto head = head_of(far, bytes);
  const auto middle = (bytes - head) / line_bytes * line_bytes;
  store_steps(far, near, head);
  Lines(far + head, near + head, middle / line_bytes);
  store_steps(far + head + middle, near + head + middle, bytes - head - middle);
}

template <line_copy Lines>
void load_by(std::byte* near, const std::byte* far, std::size_t bytes) {
  const auto head = head_of(far, bytes);
  const auto middle = (bytes - head) / line_bytes * line_bytes;
  load_steps(near, far, head);
  Lines(near + head, far + head, middle / line_bytes);
  load_steps(near + head + middle, far + head + middle, bytes - head - middle);
}

}  // namespace pinhole::detail
