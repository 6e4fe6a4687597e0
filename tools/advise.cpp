// `pinhole advise`: where data should live, by how much, and why.
#include "pinhole/advice/advise.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pinhole/core/units.hpp"
#include "tools/advise_options.hpp"
#include "tools/article.hpp"
#include "tools/command.hpp"
#include "tools/device_text.hpp"
#include "tools/profile_choice.hpp"
#include "tools/support/failure.hpp"
#include "tools/support/numbers.hpp"
#include "tools/support/report.hpp"
#include "tools/support/table.hpp"

namespace pinhole::tool {

namespace {

bool colours() {
  return wants_colours(platform::standard_stream::output);
}

std::string bytes_text(double bytes) {
  return format_bytes(static_cast<std::uint64_t>(std::llround(bytes)));
}

std::string_view obstacle_text(obstacle problem) {
  switch (problem) {
    case obstacle::pin_budget:
      return "more than may be pinned";
    case obstacle::device_memory:
      return "more than the device has";
    case obstacle::written_file:
      return "a file that a kernel writes";
    case obstacle::none:
      break;
  }
  return "";
}

std::string role_text(access_role role) {
  return role == access_role::none               ? "does nothing"
         : role == access_role::reads_and_writes ? "reads and writes"
                                                 : std::string(to_string(role));
}

std::string pattern_text(const access_pattern& of) {
  std::string text = fmt::format(
      "{} of {}: {} units of {}, {}; the host {}, the device {}{}; {} calls",
      format_bytes(of.touched_bytes()), format_bytes(of.bytes), of.units(),
      format_bytes(of.unit_bytes), to_string(of.order), role_text(of.host), role_text(of.device),
      of.reads_of_each_byte > 1 ? fmt::format(" {} times", short_number(of.reads_of_each_byte))
                                : "",
      of.calls);
  if (of.link == link_traffic::busy) {
    text += "; other copies keep the link busy";
  }
  return text;
}

std::string remark(const recommendation& given, const forecast& one) {
  if (one.problem != obstacle::none) {
    return std::string(obstacle_text(one.problem));
  }
  return &one != &given.best() && given.is_near_tie(one) ? "near-tie" : "";
}

std::string ranking_text(const recommendation& given) {
  table rows({{"placement", align::left},
              {"a call"},
              {"of it set-up"},
              {"to device"},
              {"to host"},
              {"pinned"},
              {"limited by", align::left},
              {"", align::left}});
  for (const auto& one : given.ranking()) {
    const auto how = one.problem != obstacle::none ? accent::dim
                     : &one == &given.best()       ? accent::green
                                                   : accent::plain;
    rows.add(
        {name_of(one), time_text(one.us), time_text(one.terms.setup),
         bytes_text(one.bytes_to_device), bytes_text(one.bytes_to_host),
         format_bytes(one.pinned_bytes), std::string(to_string(one.limit)), remark(given, one)},
        how);
  }
  return rows.text(colours());
}

using named_term = std::pair<const char*, double cost_terms::*>;
constexpr named_term all_terms[] = {
    {"launch", &cost_terms::launch},         {"host", &cost_terms::host},
    {"user_copy", &cost_terms::user_copy},   {"copies", &cost_terms::copies},
    {"copy_queue", &cost_terms::copy_queue}, {"latency", &cost_terms::latency},
    {"bytes", &cost_terms::bytes},           {"requests", &cost_terms::requests},
    {"page_walks", &cost_terms::page_walks}, {"overlap", &cost_terms::overlap},
    {"setup", &cost_terms::setup},
};

/// One row a term that anything costs, one column a placement.
std::string terms_text(const recommendation& given) {
  std::vector<table::column> columns = {{"us of a call", align::left}};
  for (const auto& one : given.ranking()) {
    columns.push_back({name_of(one), align::right});
  }
  table rows(std::move(columns));
  for (const auto& [name, term] : all_terms) {
    std::vector<std::string> cells = {name};
    bool is_any = false;
    for (const auto& one : given.ranking()) {
      cells.push_back(short_number(one.terms.*term));
      is_any = is_any || one.terms.*term != 0;
    }
    if (is_any) {
      rows.add(std::move(cells));
    }
  }
  return rows.text(colours());
}

std::string indented(const std::string& code) {
  std::string text;
  for (std::size_t at = 0; at < code.size();) {
    const auto end = code.find('\n', at);
    text += "    " + code.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return text;
}

json pattern_json(const access_pattern& of) {
  return {{"bytes", of.bytes},
          {"touched_units", of.units()},
          {"unit_bytes", of.unit_bytes},
          {"order", to_string(of.order)},
          {"host", to_string(of.host)},
          {"device", to_string(of.device)},
          {"reads_of_each_byte", of.reads_of_each_byte},
          {"calls", of.calls},
          {"calls_per_second", of.calls_per_second ? json(*of.calls_per_second) : json(nullptr)},
          {"goal", to_string(of.goal)},
          {"link", to_string(of.link)},
          {"memory", to_string(of.memory)}};
}

json forecast_json(const recommendation& given, const forecast& one) {
  json terms = json::object();
  for (const auto& [name, term] : all_terms) {
    terms[name] = one.terms.*term;
  }
  return {{"placement", to_string(one.how)},
          {"overlaps", one.overlaps},
          {"copies_runs", one.copies_runs},
          {"us", one.us},
          {"near_tie", given.is_near_tie(one)},
          {"limited_by", to_string(one.limit)},
          {"bytes_to_device", one.bytes_to_device},
          {"bytes_to_host", one.bytes_to_host},
          {"pinned_bytes", one.pinned_bytes},
          {"obstacle",
           one.problem == obstacle::none ? json(nullptr) : json(obstacle_text(one.problem))},
          {"terms_us", std::move(terms)}};
}

json advice_json(const access_pattern& pattern, const recommendation& given,
                 const machine_profile& profile) {
  json ranking = json::array();
  for (const auto& one : given.ranking()) {
    ranking.push_back(forecast_json(given, one));
  }
  return {{"pattern", pattern_json(pattern)},
          {"placement", to_string(given.placement)},
          {"ranking", std::move(ranking)},
          {"reasons", reasons(given, pattern, profile)},
          {"code", code_for(given.best(), pattern)}};
}

std::string advice_text(const access_pattern& pattern, const recommendation& given,
                        const machine_profile& profile, bool explains) {
  std::string text = wrapped(pattern_text(pattern), 0) + "\n" + ranking_text(given);
  if (explains) {
    text += "\n" + terms_text(given);
  }
  text += "\n";
  for (const auto& line : reasons(given, pattern, profile)) {
    text += "  - " + wrapped(line, 4) + "\n";
  }
  return text + "\n" + indented(code_for(given.best(), pattern));
}

int advise_user(const advise_options& given, const context& shared) {
  std::vector<access_pattern> patterns;
  if (!given.article) {
    patterns.push_back(pattern_of(given));
  }
  const auto name = given.value_of("--profile");
  const auto profile =
      name ? named_profile(*name)
           : profile_of_this_machine(choose_device(given.value_of("--device").value_or("")));
  if (given.json) {
    json report = provenance(shared.command_line);
    report["machine"] = json::parse(to_json(profile))["machine"];
    if (given.article) {
      report["article"] = article_json(profile);
    } else {
      report.update(advice_json(patterns.front(), advise(patterns.front(), profile), profile));
    }
    print(pretty(report));
    return done;
  }
  const std::string header = wrapped(profile_text(profile), 0) + "\n\n";
  print(header + (given.article ? article_text(profile, colours())
                                : advice_text(patterns.front(), advise(patterns.front(), profile),
                                              profile, given.explain)));
  return done;
}

}  // namespace

void add_advise(CLI::App& app, const context& given, action& chosen) {
  auto options = std::make_shared<advise_options>();
  auto* const command = app.add_subcommand("advise", "");
  declare(*command, *options);
  command->callback([options, &given, &chosen] {
    chosen = [options, &given] { return advise_user(*options, given); };
  });
}

}  // namespace pinhole::tool
