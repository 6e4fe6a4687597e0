// Reads and prints bytes and durations without asking the locale.
#include "pinhole/core/units.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <system_error>

namespace pinhole {

namespace {

constexpr std::string_view allowed_bytes =
    "allowed are digits with an optional fraction and suffix, such as 4096, 64K, 1.5MiB or 2 GB";

[[noreturn]] void reject_bytes(std::string_view text) {
  detail::reject("read '" + std::string(text) + "' as a number of bytes",
                 std::string(allowed_bytes));
}

char upper(char letter) {
  return letter >= 'a' && letter <= 'z' ? static_cast<char>(letter - 'a' + 'A') : letter;
}

/// The power of two that a suffix stands for; "" and "B" are 0.
unsigned shift_of(std::string_view suffix, std::string_view whole) {
  std::string letters;
  for (const char letter : suffix) {
    letters += upper(letter);
  }
  if (letters.empty() || letters == "B") {
    return 0;
  }
  constexpr std::string_view prefixes = "KMGT";
  const auto power = prefixes.find(letters.front());
  const std::string rest = letters.substr(1);
  if (power == std::string_view::npos ||
      !(rest.empty() || rest == "B" || rest == "I" || rest == "IB")) {
    reject_bytes(whole);
  }
  return 10U * (static_cast<unsigned>(power) + 1U);
}

/// `digits` significant digits, trailing zeros of the fraction dropped.
std::string short_number(double value, int digits) {
  int before_point = 1;
  for (double rest = std::abs(value); rest >= 10; rest /= 10) {
    ++before_point;
  }
  const int after_point = before_point >= digits ? 0 : digits - before_point;
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::fixed, after_point)
                       .ptr;
  std::string result(text.data(), end);
  if (result.find('.') != std::string::npos) {
    result.erase(result.find_last_not_of('0') + 1);
    if (result.back() == '.') {
      result.pop_back();
    }
  }
  return result;
}

}  // namespace

std::uint64_t parse_bytes(std::string_view text) {
  const char* const end = text.data() + text.size();
  double value = 0;
  const auto number = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (number.ec != std::errc{} || !std::isfinite(value) || std::signbit(value)) {
    reject_bytes(text);
  }
  std::string_view suffix(number.ptr, static_cast<std::size_t>(end - number.ptr));
  if (!suffix.empty() && suffix.front() == ' ') {
    suffix.remove_prefix(1);
    if (suffix.empty()) {
      reject_bytes(text);
    }
  }
  const unsigned shift = shift_of(suffix, text);
  // Whole numbers keep all 64 bits; a double would lose the last ones.
  std::uint64_t whole = 0;
  const auto exact = std::from_chars(text.data(), end, whole);
  const bool overflows = exact.ec == std::errc::result_out_of_range;
  if (exact.ec == std::errc{} && exact.ptr == number.ptr) {
    if (whole > (std::numeric_limits<std::uint64_t>::max() >> shift)) {
      detail::reject("read '" + std::string(text) + "' as a number of bytes",
                     "it does not fit in 64 bits");
    }
    return whole << shift;
  }
  const double scaled = value * std::pow(2.0, shift);
  if (overflows || scaled >= 18446744073709551616.0) {
    detail::reject("read '" + std::string(text) + "' as a number of bytes",
                   "it does not fit in 64 bits");
  }
  return static_cast<std::uint64_t>(scaled);
}

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array<const char*, 7> units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  // From 1023.5 on four digits would print 1024 of a unit.
  while (value >= 1023.5 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  return short_number(value, 4) + " " + units.at(unit);
}

std::string format_duration(std::chrono::nanoseconds time) {
  auto value = static_cast<double>(time.count());
  const double size = std::abs(value);
  // From 999.5 on three digits would print 1000 of a unit.
  if (size < 999.5) {
    return short_number(value, 3) + " ns";
  }
  if (size < 999.5e3) {
    return short_number(value / 1e3, 3) + " us";
  }
  if (size < 999.5e6) {
    return short_number(value / 1e6, 3) + " ms";
  }
  return short_number(value / 1e9, 3) + " s";
}

std::size_t checked_bytes(std::size_t count, std::size_t unit, std::string_view asked) {
  if (unit != 0 && count > std::numeric_limits<std::size_t>::max() / unit) {
    detail::reject(std::string(asked), std::to_string(count) + " elements of " +
                                           std::to_string(unit) +
                                           " bytes do not fit in the address space");
  }
  return count * unit;
}

std::chrono::nanoseconds timeout::checked(long double seconds) {
  // Past this a count of nanoseconds does not fit in 64 bits.
  constexpr long double longest = 9.2e9L;
  if (!(seconds >= 0)) {
    detail::reject("wait", "the deadline is negative or not a number");
  }
  if (seconds > longest) {
    detail::reject("wait", "the deadline is longer than 292 years");
  }
  return std::chrono::nanoseconds(static_cast<std::int64_t>(seconds * 1e9L));
}

std::chrono::steady_clock::time_point timeout::from_now() const noexcept {
  using clock = std::chrono::steady_clock;
  const auto now = clock::now();
  return limit_ > clock::time_point::max() - now ? clock::time_point::max() : now + limit_;
}

}  // namespace pinhole
