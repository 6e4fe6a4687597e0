// Shows how the advice fared.
#include "tools/regret.hpp"

#include <fmt/format.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "platform/linux/interrupt.hpp"
#include "platform/linux/replace_file.hpp"
#include "tools/device_text.hpp"
#include "tools/profile_choice.hpp"
#include "tools/report_page.hpp"
#include "tools/support/failure.hpp"
#include "tools/support/numbers.hpp"
#include "tools/support/progress_bar.hpp"
#include "tools/support/report.hpp"
#include "tools/support/table.hpp"

namespace pinhole::tool {

namespace {

using scenarios::regret_options;
using scenarios::regret_result;

constexpr std::uint64_t most_patterns = 100'000;
constexpr std::uint64_t least_size = 4096;
constexpr std::uint64_t most_size = std::uint64_t{8} << 30U;

regret_options checked_regret(const compare_options& given) {
  require_options_of_regret(given);
  regret_options asked;
  if (const auto patterns = given.value_of("--patterns")) {
    asked.patterns = static_cast<unsigned>(parse_whole("--patterns", *patterns, 1, most_patterns));
  }
  const auto seed = given.value_of("--seed");
  asked.seed = seed ? parse_whole("--seed", *seed, 0, ~std::uint64_t{0}) : std::random_device()();
  if (const auto size = given.value_of("--size")) {
    asked.most_bytes = parse_size("--size", *size);
    if (asked.most_bytes < least_size || asked.most_bytes > most_size) {
      throw failure(fmt::format("--size '{}': allowed with --regret are 4 KiB to 8 GiB", *size));
    }
  }
  if (const auto page = given.value_of("--html")) {
    require_page("--html", *page);
  }
  if (const auto file = given.value_of("--json"); file && *file != "-") {
    try {
      platform::check_replaceable(*file);
    } catch (const error& refused) {
      throw failure(fmt::format("--json: {}", refused.what()));
    }
  }
  return asked;
}

std::string percent(double share) {
  return short_number(share * 100) + " %";
}

std::string regret_text(const regret_result& of) {
  const bool colours = wants_colours(platform::standard_stream::output);
  table choices({{"choice", align::left}, {"geomean"}, {"p95"}, {"worst"}, {"best choice"}});
  for (const auto& one : of.judgements) {
    choices.add({one.name, short_number(one.geomean), short_number(one.p95),
                 short_number(one.worst), percent(one.best_share)});
  }
  table predictions({{"prediction", align::left}, {"median error"}, {"within 30 %"}});
  for (const auto& one : of.predictions) {
    predictions.add({one.name, percent(one.median_error), percent(one.within_30_percent)});
  }
  return choices.text(colours) +
         "regret: time of what was chosen / time of the best; best choice: within 3 %\n\n" +
         predictions.text(colours) + "error: |predicted - measured| / measured\n";
}

/// Hundredths of a microsecond are what the clock can tell.
json rounded(const std::vector<double>& times_us) {
  json all = json::array();
  for (const double us : times_us) {
    all.push_back(std::round(us * 100) / 100);
  }
  return all;
}

json pattern_json(const scenarios::judged_pattern& of) {
  json contenders = json::array();
  for (const auto& one : of.contenders) {
    contenders.push_back({{"placement", to_string(one.how)},
                          {"predicted_us", one.predicted_us},
                          {"setup_us", one.setup_us},
                          {"samples_us", rounded(one.samples_us)}});
  }
  return {{"bytes", of.pattern.bytes},
          {"touched_units", of.pattern.units()},
          {"unit_bytes", of.pattern.unit_bytes},
          {"order", to_string(of.pattern.order)},
          {"host", to_string(of.pattern.host)},
          {"device", to_string(of.pattern.device)},
          {"reads_of_each_byte", of.pattern.reads_of_each_byte},
          {"calls", of.pattern.calls},
          {"link", to_string(of.pattern.link)},
          {"advised", to_string(of.advised)},
          {"placements", std::move(contenders)}};
}

json full_report(const regret_result& of, const machine_profile& profile,
                 const regret_options& asked, const context& shared) {
  json report = provenance(shared.command_line);
  report["machine"] = machine_json();
  report["profile"] = json::parse(to_json(profile));
  report["seed"] = asked.seed;
  report.update(regret_json(of));
  return report;
}

}  // namespace

json regret_json(const regret_result& of) {
  json report = {{"regret", json::array()}, {"predictions", json::array()}};
  for (const auto& one : of.judgements) {
    report["regret"].push_back({{"choice", one.name},
                                {"geomean", one.geomean},
                                {"p95", one.p95},
                                {"worst", one.worst},
                                {"best_share", one.best_share}});
  }
  for (const auto& one : of.predictions) {
    report["predictions"].push_back({{"placement", one.name},
                                     {"median_error", one.median_error},
                                     {"within_30_percent", one.within_30_percent}});
  }
  report["patterns"] = json::array();
  for (const auto& one : of.patterns) {
    report["patterns"].push_back(pattern_json(one));
  }
  return report;
}

int compare_regret(const compare_options& given, const context& shared) {
  auto asked = checked_regret(given);
  const auto where = choose_device(given.value_of("--device").value_or(""));
  const auto name = given.value_of("--profile");
  const auto profile = name ? named_profile(*name) : profile_of_this_machine(where);
  progress_bar bar;
  platform::defer_interrupts();
  asked.progress = [&](double done) {
    if (const int signal = platform::deferred_interrupt(); signal != 0) {
      bar.wipe();
      throw failure("interrupted; no report was written", 128 + signal);
    }
    bar.show("regret", done);
  };
  const auto result = scenarios::measure_regret(where, profile, asked);
  bar.wipe();
  const auto report = full_report(result, profile, asked, shared);
  const auto file = given.value_of("--json");
  if (file == "-") {
    print(pretty(report));
  } else {
    print(wrapped(profile_text(profile), 0) +
          fmt::format("\n{} patterns, --seed {}\n\n", asked.patterns, asked.seed) +
          regret_text(result));
  }
  if (file && file != "-") {
    platform::replace_file(*file, pretty(report));
  }
  if (const auto page = given.value_of("--html")) {
    write_page(*page, report, where);
  }
  return done;
}

}  // namespace pinhole::tool
