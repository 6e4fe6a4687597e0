// Standard output and error, written so that a closed one or a full disk is noticed.
#pragma once

#include <string_view>

namespace pinhole::platform {

enum class standard_stream : int { output = 1, error = 2 };

[[nodiscard]] bool is_terminal(standard_stream which) noexcept;
/// The width of the terminal; 0 where it is none or does not say.
[[nodiscard]] unsigned terminal_columns(standard_stream which) noexcept;

/// Writes all of `text` at once, past stdio's buffers. Throws fault::io.
void write_all(standard_stream which, std::string_view text);

/// For the first line of main(). A standard stream that the parent closed is occupied, so that no
/// file that is opened later takes its number and receives what is printed; writing to it goes on
/// failing. And writing to a pipe that nobody reads becomes an error instead of the process's end.
void prepare_standard_streams() noexcept;

}  // namespace pinhole::platform
