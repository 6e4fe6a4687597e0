// Turns words and numbers into an access pattern.
#include "tools/advise_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "pinhole/core/error.hpp"
#include "tools/support/failure.hpp"
#include "tools/support/nearest.hpp"
#include "tools/support/numbers.hpp"

namespace pinhole::tool {

namespace {

constexpr std::uint64_t any_count = std::numeric_limits<std::uint64_t>::max();

struct value_option {
  const char* name;
  const char* needs;  ///< completes "--bytes needs ...", which is said when the value is missing
};

constexpr value_option value_options[] = {
    {"--bytes", "a size, such as 1G"},
    {"--touched", "a number of units, or a share such as 5%"},
    {"--unit", "a size, such as 128"},
    {"--order", "sequential, clustered or random"},
    {"--writer", "none, host, device or both"},
    {"--reader", "none, host, device or both"},
    {"--reads", "how often a call reads each byte, such as 4"},
    {"--calls", "a number of calls over the data's life, such as 1000"},
    {"--rate", "a number of calls a second, such as 60"},
    {"--goal", "latency or throughput"},
    {"--link", "idle or busy"},
    {"--memory", "fresh, pageable, file or camera"},
    {"--pin-limit", "a size, such as 4GiB"},
    {"--device", "a device, such as cpu or cuda:0"},
    {"--profile", "the name of a profile, or of a file"},
};

/// The value of a word, by its place in `words`.
template <class Enum, std::size_t Count>
Enum word_of(const advise_options& given, const std::string& option,
             const std::array<const char*, Count>& words, Enum otherwise) {
  const auto typed = given.value_of(option);
  if (!typed) {
    return otherwise;
  }
  const auto found = std::find(words.begin(), words.end(), *typed);
  if (found == words.end()) {
    throw failure(
        option + ": " +
        not_allowed(*typed, "allowed", std::vector<std::string>(words.begin(), words.end())));
  }
  return static_cast<Enum>(found - words.begin());
}

enum class sides { none, host, device, both };
constexpr std::array side_names = {"none", "host", "device", "both"};

access_role role_of(bool writes, bool reads) {
  return writes ? (reads ? access_role::reads_and_writes : access_role::writes)
                : (reads ? access_role::reads : access_role::none);
}

std::uint64_t touched_of(const std::string& typed, const access_pattern& pattern) {
  const std::uint64_t units = pattern.unit_bytes == 0 ? 0 : pattern.bytes / pattern.unit_bytes;
  if (typed.ends_with('%')) {
    const double share = parse_percent("--touched", typed) / 100;
    return std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::llround(share * static_cast<double>(units))));
  }
  return parse_whole("--touched", typed, 1, std::max<std::uint64_t>(1, units));
}

/// The library names the field; here it is an option.
[[noreturn]] void refuse(const error& wrong) {
  constexpr std::pair<std::string_view, std::string_view> options[] = {
      {"unit_bytes is ", "--unit is "},
      {"touched_units is ", "--touched is "},
      {"reads_of_each_byte is ", "--reads is "},
      {"calls_per_second is ", "--rate is "},
      {"calls is ", "--calls is "},
      {"bytes is ", "--bytes is "},
      {"memory is ", "--memory is "},
  };
  std::string text = wrong.what();
  for (const auto& [field, option] : options) {
    if (const auto at = text.find(": " + std::string(field)); at != std::string::npos) {
      text.replace(at + 2, field.size(), option);
      break;
    }
  }
  if (const auto at = text.find("device is none"); at != std::string::npos) {
    text =
        "--writer, --reader: the device neither writes nor reads; allowed are device and both "
        "for one of them";
  }
  throw failure(text);
}

}  // namespace

void declare(CLI::App& command, advise_options& into) {
  for (const auto& [name, needs] : value_options) {
    command
        .add_option_function<std::string>(
            name, [&into, name](const std::string& typed) { into.values[name] = typed; }, needs)
        ->check(CLI::Validator(
            [answer = std::string(needs)](const std::string& typed) {
              return typed.starts_with("--") ? answer : std::string();
            },
            ""));
  }
  command.add_flag("--json", into.json, "no value");
  command.add_flag("--explain", into.explain, "no value");
  command.add_flag("--article", into.article, "no value");
}

access_pattern pattern_of(const advise_options& given) {
  const auto number = [&](const char* option, double otherwise, double least, double most) {
    const auto typed = given.value_of(option);
    return typed ? parse_number(option, *typed, least, most) : otherwise;
  };
  const auto bytes = given.value_of("--bytes");
  if (!bytes) {
    throw failure("--bytes is missing; allowed is a size, such as 1G");
  }
  access_pattern pattern;
  pattern.bytes = parse_size("--bytes", *bytes);
  pattern.unit_bytes = parse_size("--unit", given.value_of("--unit").value_or("4"));
  pattern.order = word_of(given, "--order", std::array{"sequential", "clustered", "random"},
                          access_order::sequential);
  const auto writer = word_of(given, "--writer", side_names, sides::host);
  const auto reader = word_of(given, "--reader", side_names, sides::device);
  const auto is = [](sides who, sides one) { return who == one || who == sides::both; };
  pattern.host = role_of(is(writer, sides::host), is(reader, sides::host));
  pattern.device = role_of(is(writer, sides::device), is(reader, sides::device));
  pattern.reads_of_each_byte = number("--reads", 1, 1, 1e6);
  if (const auto calls = given.value_of("--calls")) {
    pattern.calls = parse_whole("--calls", *calls, 1, any_count);
  }
  if (given.value_of("--rate")) {
    pattern.calls_per_second = number("--rate", 0, 1e-6, 1e9);
  }
  pattern.goal =
      word_of(given, "--goal", std::array{"latency", "throughput"}, access_goal::latency);
  pattern.link = word_of(given, "--link", std::array{"idle", "busy"}, link_traffic::idle);
  pattern.memory = word_of(given, "--memory", std::array{"fresh", "pageable", "file", "camera"},
                           memory_origin::fresh);
  if (const auto limit = given.value_of("--pin-limit")) {
    pattern.most_pinned_bytes = parse_size("--pin-limit", *limit);
  }
  if (const auto touched = given.value_of("--touched")) {
    pattern.touched_units = touched_of(*touched, pattern);
  }
  try {
    require_valid(pattern);
  } catch (const error& wrong) {
    refuse(wrong);
  }
  return pattern;
}

}  // namespace pinhole::tool
