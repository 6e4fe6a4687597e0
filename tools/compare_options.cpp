// Refuses bad options of `pinhole compare`, each with what would be allowed.
#include "tools/compare_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include "pinhole/core/units.hpp"
#include "pinhole/memory/pin_budget.hpp"
#include "platform/linux/host_limits.hpp"
#include "platform/linux/replace_file.hpp"
#include "tools/device_text.hpp"
#include "tools/support/failure.hpp"
#include "tools/support/nearest.hpp"
#include "tools/support/numbers.hpp"

namespace pinhole::tool {

namespace {

constexpr std::uint64_t most_repeats = 1'000'000;

scenario_list chosen_scenarios(const std::vector<std::string>& names, const scenario_list& known) {
  if (names.empty()) {
    return known;
  }
  const auto allowed = names_of(known);
  scenario_list chosen;
  for (const auto& name : names) {
    const auto found = std::find(allowed.begin(), allowed.end(), name);
    if (found == allowed.end()) {
      std::string text = "SCENARIO: " + not_allowed(name, "a scenario", allowed);
      if (placement_from(name)) {
        text += fmt::format("; for the placement: --placement {}", name);
      }
      throw failure(text);
    }
    const auto* const scenario = known[static_cast<std::size_t>(found - allowed.begin())];
    if (std::find(chosen.begin(), chosen.end(), scenario) == chosen.end()) {
      chosen.push_back(scenario);
    }
  }
  return chosen;
}

std::vector<placement> chosen_placements(const std::vector<std::string>& names) {
  std::vector<placement> chosen;
  for (const auto& name : names) {
    const auto found = placement_from(name);
    if (!found) {
      throw failure("--placement: " + not_allowed(name, "a placement", placement_names()));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

std::uint64_t size_within_memory(std::string_view argument, const std::string& text) {
  const std::uint64_t bytes = parse_size(argument, text);
  const auto limit = platform::cgroup_memory_limit();
  const std::uint64_t memory =
      std::min(platform::total_memory(), limit ? limit->bytes : platform::total_memory());
  if (bytes == 0 || bytes > memory) {
    throw failure(fmt::format("{} '{}': allowed are 1 B to {}, the memory of this machine",
                              argument, text, format_bytes(memory)));
  }
  return bytes;
}

std::string file_name(const compare_options& given, const std::string& option) {
  const auto name = given.value_of(option);
  if (name && name->empty()) {
    throw failure(fmt::format("{}: the file name is empty; allowed are names of files", option));
  }
  return name.value_or("");
}

/// Also tries whether the file can be written, so that no work is lost when it cannot.
std::string file_to_write(const compare_options& given, const std::string& option) {
  const std::string name = file_name(given, option);
  if (!name.empty() && name != "-") {
    try {
      platform::check_replaceable(name);
    } catch (const error& refused) {
      throw failure(fmt::format("{}: {}", option, refused.what()));
    }
  }
  return name;
}

std::optional<std::uint64_t> whole_number(const compare_options& given, const std::string& option,
                                          std::uint64_t least, std::uint64_t most) {
  const auto typed = given.value_of(option);
  return typed ? std::optional(parse_whole(option, *typed, least, most)) : std::nullopt;
}

/// The scenario that it is for knows the range that makes sense.
std::optional<std::uint64_t> any_number(const compare_options& given, const std::string& option) {
  return whole_number(given, option, 0, std::numeric_limits<std::uint64_t>::max());
}

std::optional<std::uint64_t> size_of(const compare_options& given, const std::string& option) {
  const auto typed = given.value_of(option);
  return typed ? std::optional(size_within_memory(option, *typed)) : std::nullopt;
}

/// A size, or a share of the memory; never more than there is.
std::optional<std::uint64_t> pin_limit_of(const compare_options& given) {
  const std::string option = "--pin-limit";
  const auto typed = given.value_of(option);
  if (!typed || !typed->ends_with('%')) {
    return size_of(given, option);
  }
  try {
    return pin_budget::parse_limit(*typed);
  } catch (const error& refused) {
    throw failure(fmt::format("{} '{}': {}", option, *typed, refused.status()));
  }
}

std::optional<double> share_of(const compare_options& given, const std::string& option) {
  const auto typed = given.value_of(option);
  return typed ? std::optional(parse_percent(option, *typed)) : std::nullopt;
}

/// Whether it is for runs of scenarios, for --regret, or for both.
enum class use { scenarios, both, regret };

struct value_option {
  const char* name;
  const char* needs;  ///< completes "--size needs ...", which is said when the value is missing
  use where = use::scenarios;
  std::array<std::string_view, 2> only_for = {};  ///< scenarios that know it; none named: all do
};

constexpr value_option value_options[] = {
    {"--device", "a device, such as cpu or cuda:0", use::both},
    {"--repeat", "a number of runs, such as 100"},
    {"--size", "a size, such as 64MiB", use::both},
    {"--pin-limit", "a size, such as 4GiB, or a share, such as 25%"},
    {"--seed", "a whole number", use::both},
    {"--json", "a file name, or - for standard output", use::both},
    {"--html", "a file name", use::both},
    {"--text", "the name of a text file in UTF-8", use::scenarios, {{"text"}}},
    {"--words", "the name of a file with one word a line", use::scenarios, {{"text"}}},
    {"--rate",
     "a number of messages a second, such as 1000",
     use::scenarios,
     {{"roundtrip", "lookup"}}},
    {"--pixels", "a number of pixels, such as 100", use::scenarios, {{"pixels"}}},
    {"--png", "a file name", use::scenarios, {{"pixels"}}},
    {"--nonzeros", "a number of values, such as 4", use::scenarios, {{"matrix"}}},
    {"--share", "a share in percent, such as 0.1", use::scenarios, {{"alternate"}}},
    {"--patterns", "a number of patterns, such as 500", use::regret},
    {"--profile", "the name of a profile, or of a file", use::regret},
    {"--passes", "a number of passes, such as 16", use::scenarios, {{"compute"}}},
    {"--fps", "a number of frames a second, such as 60", use::scenarios, {{"video"}}},
    {"--frames", "a number of frames, such as 300", use::scenarios, {{"video"}}},
};

/// Without this an option that nothing reads would be believed to have done something.
void require_a_scenario_for_each_option(const compare_options& given, const scenario_list& chosen) {
  const auto names = names_of(chosen);
  for (const auto& option : value_options) {
    if (given.value_of(option.name) && option.where == use::regret) {
      throw failure(fmt::format("{} is for --regret, and what runs is {}", option.name,
                                fmt::join(names, ", ")));
    }
    const auto& [one, other] = option.only_for;
    const bool runs = std::ranges::any_of(
        names, [&](const std::string& name) { return name == one || name == other; });
    if (given.value_of(option.name) && !one.empty() && !runs) {
      throw failure(fmt::format("{} is for {}{}{}, and what runs is {}", option.name, one,
                                other.empty() ? "" : " and ", other, fmt::join(names, ", ")));
    }
  }
}

}  // namespace

void declare(CLI::App& command, compare_options& into) {
  command.add_option("SCENARIO", into.scenarios, "the name of a scenario");
  command
      .add_option("--placement", into.placements,
                  fmt::format("one or more of {}", fmt::join(placement_names(), ", ")))
      ->allow_extra_args(false)
      ->delimiter(',');
  for (const auto& option : value_options) {
    const auto* const name = option.name;
    const auto* const needs = option.needs;
    // CLI11 would take an option that follows for the value.
    const auto refuse_option = [answer = std::string(needs)](const std::string& typed) {
      return typed.starts_with("--") ? answer : std::string();
    };
    command
        .add_option_function<std::string>(
            name, [&into, name](const std::string& typed) { into.values[name] = typed; }, needs)
        ->take_last()
        ->check(CLI::Validator(refuse_option, ""));
  }
  command.add_flag("--full", into.full, "no value");
  command.add_flag("--list", into.list, "no value");
  command.add_flag("--regret", into.regret, "no value");
}

void require_options_of_regret(const compare_options& given) {
  const auto refuse = [](std::string_view what) {
    throw failure(
        fmt::format("--regret: {} is for scenarios; allowed beside it are --patterns, --seed, "
                    "--size, --profile, --device, --json and --html",
                    what));
  };
  for (const auto& option : value_options) {
    if (given.value_of(option.name) && option.where == use::scenarios) {
      refuse(option.name);
    }
  }
  if (given.full) {
    refuse("--full");
  }
  if (!given.placements.empty()) {
    refuse("--placement");
  }
  if (!given.scenarios.empty()) {
    refuse("SCENARIO");
  }
}

compare_request checked(const compare_options& given, const scenario_list& known) {
  const auto scenarios = chosen_scenarios(given.scenarios, known);
  const auto placements = chosen_placements(given.placements);
  const auto repeat = whole_number(given, "--repeat", 1, most_repeats);
  const auto size = size_of(given, "--size");
  if (const auto limit = pin_limit_of(given)) {
    pin_budget::process().set_limit(*limit);
  }
  (void)file_to_write(given, "--json");
  scenarios::settings settings{
      .where = device::cpu(),
      .placements = placements,
      .size = size,
      .full = given.full,
      .text_file = file_name(given, "--text"),
      .words_file = file_name(given, "--words"),
      .seed = any_number(given, "--seed").value_or(1),
      .rate = any_number(given, "--rate"),
      .pixels = any_number(given, "--pixels"),
      .nonzeros = any_number(given, "--nonzeros"),
      .png_file = file_to_write(given, "--png"),
      .fps = any_number(given, "--fps"),
      .frames = any_number(given, "--frames"),
      .passes = any_number(given, "--passes"),
      .share = share_of(given, "--share"),
  };
  require_a_scenario_for_each_option(given, scenarios);
  // Last, because looking for a GPU takes the longest.
  settings.where = choose_device(given.value_of("--device").value_or(""));
  return {.scenarios = scenarios,
          .settings = std::move(settings),
          .repeat = repeat ? std::optional(static_cast<unsigned>(*repeat)) : std::nullopt};
}

}  // namespace pinhole::tool
