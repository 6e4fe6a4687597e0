// Files that the user names, read and checked before any work is done.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "pinhole/core/error.hpp"

namespace pinhole::scenarios {

/// One input of a scenario.
struct input {
  std::string_view option;                   ///< "--text": what messages name
  std::string_view what;                     ///< "a UTF-8 text": what is allowed
  std::string_view remedy;                   ///< where a default one comes from
  std::string_view bundled_name;             ///< its name in the folder of the program
  std::vector<std::filesystem::path> usual;  ///< where it is looked for otherwise
};

/// The text of `chosen`, or where that is empty of the first file there is: beside the program,
/// else the usual places. Throws fault::io when it is missing, a folder or unreadable, and
/// fault::invalid_argument when it is empty, binary or not UTF-8; each names the option and the
/// file.
[[nodiscard]] std::string read_input(const input& which, const std::string& chosen);

/// Throws "cannot use --text FILE: <reason>; allowed is ..."; an empty `file` is the default one.
[[noreturn]] void refuse_input(fault kind, const input& which, const std::string& file,
                               const std::string& reason);

/// True when all of `text` is well-formed UTF-8 (no overlong forms, no surrogates).
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

}  // namespace pinhole::scenarios
