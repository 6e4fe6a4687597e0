// The options of `pinhole compare`, as typed and as checked.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/scenario.hpp"
#include "tools/command.hpp"

namespace pinhole::tool {

/// As typed.
struct compare_options {
  std::vector<std::string> scenarios;
  std::vector<std::string> placements;
  std::map<std::string, std::string> values;  ///< of the options that take one: "--size" to "64MiB"
  bool full = false;
  bool list = false;
  bool regret = false;

  /// The value of an option; empty when it was not given.
  [[nodiscard]] std::optional<std::string> value_of(const std::string& option) const {
    const auto found = values.find(option);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  }
};

/// The options after every check that needs no work.
struct compare_request {
  scenario_list scenarios;
  scenarios::settings settings;
  std::optional<unsigned> repeat;
};

/// Declares the options of `command`, to be parsed into `into`, which must outlive the parsing.
void declare(CLI::App& command, compare_options& into);

/// Refuses what `--regret` would not read, as it would be believed to have done something.
void require_options_of_regret(const compare_options& given);

/// Refuses what is not allowed, with a failure that names the argument, before a device is touched
/// or a file written. Sets the pin budget's limit when one is given.
[[nodiscard]] compare_request checked(const compare_options& given, const scenario_list& known);

}  // namespace pinhole::tool
