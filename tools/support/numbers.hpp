// Reads and prints numbers the same way in every locale.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pinhole::tool {

/// A whole number between the two; throws failure naming `argument` and what is allowed.
[[nodiscard]] std::uint64_t parse_whole(std::string_view argument, std::string_view text,
                                        std::uint64_t least, std::uint64_t most);

/// A number between the two, with an optional fraction; throws failure as parse_whole does.
[[nodiscard]] double parse_number(std::string_view argument, std::string_view text, double least,
                                  double most);

/// A share in percent, "0.1" or "0.1%", from 0 to 100; throws failure naming `argument`.
[[nodiscard]] double parse_percent(std::string_view argument, std::string_view text);

/// A size, as pinhole::parse_bytes reads it; throws failure naming `argument`.
[[nodiscard]] std::uint64_t parse_size(std::string_view argument, std::string_view text);

/// Three significant digits, never with an exponent above 0.0001: "0.0423", "1.87", "42.3", "2510".
[[nodiscard]] std::string short_number(double value);

/// "12.3 us", for times that are measured in microseconds.
[[nodiscard]] std::string time_text(double microseconds);

}  // namespace pinhole::tool
