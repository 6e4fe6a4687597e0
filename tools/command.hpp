// What the subcommands share: how they are declared, what they are given, where they print.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/scenario.hpp"

namespace pinhole::tool {

using scenario_list = std::vector<const scenarios::scenario*>;

/// What every subcommand may look at. Outlives the parsing and the command.
struct context {
  std::vector<std::string> command_line;  ///< as it was typed, the program's name first
  const scenario_list& scenarios;
};

/// What the command line asks for; returns the exit code.
using action = std::function<int()>;

// Each declares its subcommand, which sets `chosen` when it is the one. Nothing is done before
// `chosen` is called: no device is touched for --help.
void add_info(CLI::App& app, const context& given, action& chosen);
void add_compare(CLI::App& app, const context& given, action& chosen);
void add_calibrate(CLI::App& app, const context& given, action& chosen);
void add_advise(CLI::App& app, const context& given, action& chosen);
void add_report(CLI::App& app, const context& given, action& chosen);
void add_completion(CLI::App& app, const context& given, action& chosen);

/// The whole command line, described; its help pages are those of docs/cli.
[[nodiscard]] std::unique_ptr<CLI::App> make_app(const context& given, action& chosen);

[[nodiscard]] std::vector<std::string> names_of(const scenario_list& scenarios);
[[nodiscard]] std::vector<std::string> placement_names();

/// Writes to standard output; throws fault::io when that is closed or its disk is full.
void print(std::string_view text);

}  // namespace pinhole::tool
