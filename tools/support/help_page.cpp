// Renders the little Markdown that docs/cli uses.
#include "tools/support/help_page.hpp"

#include "tools/support/style.hpp"

namespace pinhole::tool {

namespace {

std::string without(std::string text, std::string_view mark) {
  for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
    text.erase(at, mark.size());
  }
  return text;
}

std::string_view next_line(std::string_view& rest) {
  const auto end = rest.find('\n');
  const auto line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return line;
}

}  // namespace

std::string render_markdown(std::string_view page, bool colours) {
  std::string text;
  bool in_code = false;
  while (!page.empty()) {
    const auto line = next_line(page);
    if (line.starts_with("```")) {
      in_code = !in_code;
    } else if (in_code) {
      text += "    " + std::string(line) + "\n";
    } else if (line.starts_with("#")) {
      const auto title = line.substr(line.find_first_not_of("# "));
      text += styled(without(std::string(title), "`"), accent::bold, colours) + "\n";
    } else {
      text += without(without(std::string(line), "`"), "**") + "\n";
    }
  }
  return text;
}

}  // namespace pinhole::tool
