// Bytes and durations: literals, reading, printing, and multiplication that does not overflow.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "pinhole/core/error.hpp"

namespace pinhole {

inline namespace literals {
constexpr std::size_t operator""_KiB(unsigned long long n) {
  return n << 10U;
}
constexpr std::size_t operator""_MiB(unsigned long long n) {
  return n << 20U;
}
constexpr std::size_t operator""_GiB(unsigned long long n) {
  return n << 30U;
}
}  // namespace literals

/// Reads a byte count: digits with an optional fraction and suffix. K, M, G, T and Ki, Mi, Gi, Ti
/// (each with or without B, in any case, with or without a space) are powers of 1024; kB, MB, GB,
/// TB are too, as in most tools that take sizes. Throws fault::invalid_argument for anything else,
/// for negative values, and for what exceeds 64 bits.
[[nodiscard]] std::uint64_t parse_bytes(std::string_view text);

/// "4 B", "1.5 KiB", "256 MiB": at most four significant digits, always with '.', in any locale.
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);

/// "12.3 us", "4.56 ms": at most three significant digits, in any locale.
[[nodiscard]] std::string format_duration(std::chrono::nanoseconds time);

/// count * unit; throws fault::invalid_argument when it does not fit, naming `asked`.
[[nodiscard]] std::size_t checked_bytes(std::size_t count, std::size_t unit,
                                        std::string_view asked);

/// How long a host wait may last. Converts from any std::chrono duration; a negative one, and one
/// beyond 292 years, throws fault::invalid_argument. Zero asks once and does not wait.
class timeout {
 public:
  template <class Rep, class Period>
  timeout(std::chrono::duration<Rep, Period> limit)  // NOLINT(google-explicit-constructor)
      : limit_(checked(std::chrono::duration<long double>(limit).count())) {}

  [[nodiscard]] std::chrono::nanoseconds limit() const noexcept { return limit_; }
  /// The moment at which the wait ends, counted from now; never overflows.
  [[nodiscard]] std::chrono::steady_clock::time_point from_now() const noexcept;

 private:
  static std::chrono::nanoseconds checked(long double seconds);
  std::chrono::nanoseconds limit_;
};

}  // namespace pinhole
