// Colours and weights, which only a terminal gets.
#pragma once

#include <string>
#include <string_view>

#include "platform/linux/standard_streams.hpp"

namespace pinhole::tool {

enum class accent { plain, bold, dim, green };

/// Whether escape sequences may go to this stream: a terminal, and neither NO_COLOR nor TERM=dumb
/// is set.
[[nodiscard]] bool wants_colours(platform::standard_stream which);

/// `text`, in the accent where `colours` is true.
[[nodiscard]] std::string styled(std::string_view text, accent how, bool colours);

/// How many columns UTF-8 text takes: its code points, which is right for the scripts used here.
[[nodiscard]] std::size_t columns_of(std::string_view text) noexcept;

/// `text` broken at blanks so that no line passes 100 columns; the first line starts at column
/// `indent`, the others are indented by as much.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent);

}  // namespace pinhole::tool
