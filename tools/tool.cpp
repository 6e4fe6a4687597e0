// Parses the command line and turns every way to fail into one line and an exit code.
#include "tools/tool.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <new>

#include "pinhole_build_info.hpp"
#include "platform/linux/standard_streams.hpp"
#include "scenarios/runner.hpp"
#include "tools/command.hpp"
#include "tools/support/failure.hpp"
#include "tools/support/help_page.hpp"
#include "tools/support/nearest.hpp"
#include "tools/support/style.hpp"

namespace pinhole::tool {

namespace {

using platform::standard_stream;

/// Replaces CLI11's own help by the pages of docs/cli.
class page_formatter : public CLI::FormatterBase {
 public:
  std::string make_help(const CLI::App* app, std::string /*name*/,
                        CLI::AppFormatMode /*mode*/) const override {
    return render_markdown(help_page(app->get_name()), wants_colours(standard_stream::output));
  }
};

std::string version_line() {
  return fmt::format("pinhole {} (commit {}{})\n", version(), build_commit(),
                     build_is_dirty() ? ", with changes" : "");
}

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* one : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(one->get_name());
  }
  return names;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const auto* one : command.get_options()) {
    if (!one->get_lnames().empty()) {
      names.push_back("--" + one->get_lnames().front());
    }
  }
  return names;
}

/// What is wrong with a command line that CLI11 refuses, in one line that says what is allowed.
std::string explain(const CLI::App& app, const CLI::ParseError& refused) {
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) {
    const auto words = app.remaining();
    if (!words.empty() && !words.front().starts_with("-")) {
      return not_allowed(words.front(), "a subcommand", subcommand_names(app));
    }
    return words.empty() ? fmt::format("a subcommand is missing; allowed: {}",
                                       fmt::join(subcommand_names(app), ", "))
                         : not_allowed(words.front(), "an option", option_names(app));
  }
  const CLI::App& command = *chosen.front();
  const auto words = command.remaining();
  if (!words.empty()) {
    return words.front().starts_with("-")
               ? not_allowed(words.front(), "an option", option_names(command))
               : fmt::format("'{}' was not expected; see pinhole {} --help", words.front(),
                             command.get_name());
  }
  std::string text = refused.what();
  for (const auto* option : command.get_options()) {
    const std::string name = option->get_name();
    if (text.starts_with(name + ":") || text == name + " is required") {
      return fmt::format("{} needs {}", name, option->get_description());
    }
  }
  return text;
}

/// Whatever the user typed, a message stays one line.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](char byte) { return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f; }, '?');
  return text;
}

int complain(const std::string& who, const std::string& what, int code) noexcept {
  try {
    platform::write_all(standard_stream::error, one_line(who + ": " + what) + "\n");
  } catch (const std::exception&) {
    // Nobody can be told; the exit code still says it.
    return code;
  }
  return code;
}

int parse_and_act(CLI::App& app, const context& given, action& chosen) {
  std::vector<std::string> arguments(given.command_line.begin() + 1, given.command_line.end());
  std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    print(app.help());
    return done;
  } catch (const CLI::CallForVersion&) {
    print(version_line());
    return done;
  } catch (const CLI::ParseError& refused) {
    throw failure(explain(app, refused));
  }
  return chosen();
}

}  // namespace

std::vector<std::string> names_of(const scenario_list& scenarios) {
  std::vector<std::string> names;
  for (const auto* one : scenarios) {
    names.emplace_back(one->name());
  }
  return names;
}

std::vector<std::string> placement_names() {
  std::vector<std::string> names;
  for (const auto one : all_placements()) {
    names.emplace_back(to_string(one));
  }
  return names;
}

void print(std::string_view text) {
  platform::write_all(standard_stream::output, text);
}

std::unique_ptr<CLI::App> make_app(const context& given, action& chosen) {
  auto app = std::make_unique<CLI::App>("", "pinhole");
  app->formatter(std::make_shared<page_formatter>());
  app->set_version_flag("--version", "");
  app->require_subcommand(1);
  add_info(*app, given, chosen);
  add_compare(*app, given, chosen);
  add_calibrate(*app, given, chosen);
  add_advise(*app, given, chosen);
  add_report(*app, given, chosen);
  add_completion(*app, given, chosen);
  return app;
}

int run(const std::vector<std::string>& command_line,
        const std::vector<const scenarios::scenario*>& scenarios) noexcept {
  std::string who = "pinhole";
  try {
    const context given{command_line.empty() ? std::vector<std::string>{"pinhole"} : command_line,
                        scenarios};
    action chosen;
    const auto app = make_app(given, chosen);
    try {
      return parse_and_act(*app, given, chosen);
    } catch (...) {
      if (const auto subcommands = app->get_subcommands(); !subcommands.empty()) {
        who += " " + subcommands.front()->get_name();
      }
      throw;
    }
  } catch (const failure& ended) {
    return complain(who, ended.what(), ended.code());
  } catch (const scenarios::wrong_result& differs) {
    return complain(who, std::string("wrong result: ") + differs.what(), wrong);
  } catch (const error& failed) {
    return complain(who, failed.what(), code_for(failed.kind()));
  } catch (const std::bad_alloc&) {
    return complain(who, "out of memory", bad_input);
  } catch (const std::exception& unforeseen) {
    return complain(who, unforeseen.what(), bad_input);
  }
}

}  // namespace pinhole::tool
