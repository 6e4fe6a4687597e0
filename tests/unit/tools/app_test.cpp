// The command line and its help pages must say the same.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tools/command.hpp"
#include "tools/support/help_page.hpp"

namespace pinhole::tool {
namespace {

std::set<std::string> options_in(std::string_view page) {
  std::set<std::string> found;
  for (auto at = page.find("--"); at != std::string_view::npos; at = page.find("--", at)) {
    const auto end = page.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", at + 2);
    found.emplace(page.substr(at, end - at));
    at = std::min(end, page.size());
  }
  return found;
}

TEST(App, EachSubcommandHasAPageThatNamesExactlyItsOptions) {
  const scenario_list none;
  const context given{{"pinhole"}, none};
  action chosen;
  const auto app = make_app(given, chosen);
  const auto subcommands = app->get_subcommands([](const CLI::App*) { return true; });
  ASSERT_EQ(subcommands.size(), 6U);
  for (const auto* one : subcommands) {
    auto page = std::string(help_page(one->get_name()));
    ASSERT_NE(page, "") << one->get_name();
    // Options of other programs and subcommands that the pages speak of.
    for (const std::string foreign : {"cmake --install", "pinhole compare --pin-limit"}) {
      if (const auto at = page.find(foreign); at != std::string::npos) {
        page.erase(at, foreign.size());
      }
    }
    std::set<std::string> known;
    for (const auto* option : one->get_options()) {
      for (const auto& name : option->get_lnames()) {
        known.insert("--" + name);
      }
      if (option->get_lnames().empty()) {
        EXPECT_NE(page.find(option->get_name()), std::string::npos) << option->get_name();
      }
    }
    EXPECT_EQ(options_in(page), known) << one->get_name();
  }
}

TEST(App, AnUnknownPageIsEmpty) {
  EXPECT_EQ(help_page("nothing"), "");
}

}  // namespace
}  // namespace pinhole::tool
