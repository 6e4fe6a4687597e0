// Texts that are compiled in; of these the pages of docs/cli as text for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace pinhole::tool {

/// The Markdown of docs/cli/<name>.md, or "" where there is none.
[[nodiscard]] std::string_view help_page(std::string_view name) noexcept;
/// The text of profiles/<name>.json, or "" where there is none.
[[nodiscard]] std::string_view shipped_profile(std::string_view name) noexcept;
/// The names of all of them, one a line.
[[nodiscard]] std::string_view shipped_profile_names() noexcept;
/// A part of the page that `pinhole report` writes: a file of tools/report, or "chart.js". That one
/// is "" where Chart.js was not there when this was built.
[[nodiscard]] std::string_view page_part(std::string_view name) noexcept;
/// tools/completion/pinhole.bash.
[[nodiscard]] std::string_view bash_completion() noexcept;

/// Headings in bold, code blocks indented without their fences, backticks and emphasis removed.
/// Everything else as it stands: the pages are written at a width that suits a terminal.
[[nodiscard]] std::string render_markdown(std::string_view page, bool colours);

}  // namespace pinhole::tool
