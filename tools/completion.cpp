// `pinhole completion`: the script for bash, and the words that it offers.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <map>
#include <memory>

#include "tools/command.hpp"
#include "tools/support/failure.hpp"
#include "tools/support/help_page.hpp"
#include "tools/support/nearest.hpp"

namespace pinhole::tool {

namespace {

std::vector<std::string> device_names() {
  std::vector<std::string> names = {"cpu"};
  for (const auto& one : device::all()) {
    if (one.kind() != device_kind::cpu) {
      names.push_back(one.id());
    }
  }
  return names;
}

std::string one_a_line(const std::vector<std::string>& words) {
  return fmt::format("{}\n", fmt::join(words, "\n"));
}

int completion(const std::string& what, const context& shared) {
  const std::map<std::string, std::function<std::string()>> answers = {
      {"bash", [] { return std::string(bash_completion()); }},
      {"devices", [] { return one_a_line(device_names()); }},
      {"placements", [] { return one_a_line(placement_names()); }},
      {"scenarios", [&] { return one_a_line(names_of(shared.scenarios)); }},
  };
  const auto answer = answers.find(what);
  if (answer == answers.end()) {
    std::vector<std::string> allowed;
    for (const auto& [name, unused] : answers) {
      allowed.push_back(name);
    }
    throw failure("WHAT: " + not_allowed(what, "something to complete", allowed));
  }
  print(answer->second());
  return done;
}

}  // namespace

void add_completion(CLI::App& app, const context& given, action& chosen) {
  auto what = std::make_shared<std::string>();
  auto* const command = app.add_subcommand("completion", "");
  command->add_option("WHAT", *what, "bash, devices, placements or scenarios")->required();
  command->callback(
      [what, &given, &chosen] { chosen = [what, &given] { return completion(*what, given); }; });
}

}  // namespace pinhole::tool
