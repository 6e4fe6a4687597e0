// std::from_chars and fmt ask no locale; strtod and printf would.
#include "tools/support/numbers.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cmath>

#include "pinhole/core/units.hpp"
#include "tools/support/failure.hpp"

namespace pinhole::tool {

std::uint64_t parse_whole(std::string_view argument, std::string_view text, std::uint64_t least,
                          std::uint64_t most) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc{} || parsed.ptr != end || value < least || value > most) {
    throw failure(fmt::format("{} '{}': allowed are whole numbers from {} to {}", argument, text,
                              least, most));
  }
  return value;
}

double parse_number(std::string_view argument, std::string_view text, double least, double most) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  // Not a number is not in the range either.
  if (parsed.ec != std::errc{} || parsed.ptr != end || !(value >= least && value <= most)) {
    throw failure(fmt::format("{} '{}': allowed are numbers from {} to {}", argument, text,
                              short_number(least), short_number(most)));
  }
  return value;
}

double parse_percent(std::string_view argument, std::string_view text) {
  std::string_view digits = text;
  if (digits.ends_with('%')) {
    digits.remove_suffix(1);
  }
  double value = 0;
  const char* const end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, value, std::chars_format::fixed);
  // Not a number is not in the range either.
  if (parsed.ec != std::errc{} || parsed.ptr != end || !(value >= 0 && value <= 100)) {
    throw failure(fmt::format("{} '{}': allowed are shares from 0 to 100 %", argument, text));
  }
  return value;
}

std::uint64_t parse_size(std::string_view argument, std::string_view text) {
  try {
    return parse_bytes(text);
  } catch (const error& refused) {
    throw failure(fmt::format("{}: {}", argument, refused.what()));
  }
}

std::string short_number(double value) {
  if (!std::isfinite(value)) {
    return "-";
  }
  const double size = std::abs(value);
  if (size == 0) {
    return "0";
  }
  if (size < 1e-4) {
    return fmt::format("{:.1e}", value);
  }
  // 9.996 is printed as 10.0, which has one digit more before the point.
  const int magnitude = static_cast<int>(std::floor(std::log10(size * 1.0005)));
  return fmt::format("{:.{}f}", value, std::max(0, 2 - magnitude));
}

std::string time_text(double microseconds) {
  return format_duration(std::chrono::nanoseconds(std::llround(microseconds * 1000)));
}

}  // namespace pinhole::tool
