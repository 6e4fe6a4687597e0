// The options of `pinhole advise`, as typed and as checked.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "pinhole/advice/access_pattern.hpp"
#include "tools/command.hpp"

namespace pinhole::tool {

/// As typed.
struct advise_options {
  std::map<std::string, std::string> values;  ///< of the options that take one: "--bytes" to "1G"
  bool json = false;
  bool explain = false;
  bool article = false;

  [[nodiscard]] std::optional<std::string> value_of(const std::string& option) const {
    const auto found = values.find(option);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  }
};

void declare(CLI::App& command, advise_options& into);

/// The pattern that the options describe. Throws failure naming the option and what is allowed.
[[nodiscard]] access_pattern pattern_of(const advise_options& given);

}  // namespace pinhole::tool
