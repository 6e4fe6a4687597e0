// The few escape sequences that every terminal knows.
#include "tools/support/style.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace pinhole::tool {

bool wants_colours(platform::standard_stream which) {
  // https://no-color.org: present and not empty, whatever its value.
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  const bool refused = no_color != nullptr && *no_color != '\0';
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return !refused && !dumb && platform::is_terminal(which);
}

std::string styled(std::string_view text, accent how, bool colours) {
  if (!colours || how == accent::plain) {
    return std::string(text);
  }
  const int code = how == accent::bold ? 1 : how == accent::dim ? 2 : 32;
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::size_t columns_of(std::string_view text) noexcept {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
  }));
}

std::string wrapped(std::string_view text, std::size_t indent) {
  constexpr std::size_t columns = 100;
  std::string lines;
  std::size_t at = indent;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    const auto word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t width = columns_of(word);
    if (at > indent && at + 1 + width > columns) {
      lines += "\n" + std::string(indent, ' ');
      at = indent;
    } else if (at > indent) {
      lines += ' ';
      ++at;
    }
    lines += word;
    at += width;
  }
  return lines;
}

}  // namespace pinhole::tool
