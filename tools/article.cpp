// Asks for advice on each situation and compares it with the claim.
#include "tools/article.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "pinhole/advice/advise.hpp"
#include "pinhole/core/units.hpp"
#include "tools/support/numbers.hpp"
#include "tools/support/table.hpp"

namespace pinhole::tool {

namespace {

using namespace pinhole::literals;

/// What the article says of zero-copy there.
enum class claim { none, wins, loses };

struct situation {
  const char* name;
  const char* said;
  claim about_zero_copy;
  access_pattern pattern;
};

std::array<situation, 5> situations() {
  return {{
      {"small and frequent",
       "five stars",
       claim::wins,
       {.bytes = 4_KiB, .calls = 1'000'000, .calls_per_second = 1000.0}},
      {"alternating",
       "-",
       claim::none,
       {.bytes = 4_MiB,
        .touched_units = 160,
        .unit_bytes = 256,
        .order = access_order::clustered,
        .host = access_role::reads_and_writes,
        .device = access_role::reads_and_writes}},
      {"streaming",
       "12 ms became 8 ms",
       claim::wins,
       {.bytes = 640 * 480 * 3,
        .host = access_role::writes,
        .calls = 100'000,
        .calls_per_second = 60.0}},
      {"one large transfer", "25-36x faster", claim::wins, {.bytes = 256_MiB, .calls = 1}},
      {"compute-bound",
       "it may halve the speed",
       claim::loses,
       {.bytes = 256_MiB, .host = access_role::none, .reads_of_each_byte = 4}},
  }};
}

/// The best of what leaves the data in host memory, against the best copy.
struct duel {
  double in_place_us = 0;
  double copy_us = 0;
  recommendation given;
};

duel duel_of(const situation& one, const machine_profile& profile) {
  duel found{.in_place_us = 0, .copy_us = 0, .given = advise(one.pattern, profile)};
  for (const auto& each : found.given.ranking()) {
    double* const into = each.how == placement::staged ? &found.copy_us
                         : each.how != placement::vram ? &found.in_place_us
                                                       : nullptr;
    if (into != nullptr && *into == 0 && each.problem == obstacle::none) {
      *into = each.us;
    }
  }
  return found;
}

double gain(const duel& of) {
  return of.in_place_us > 0 ? of.copy_us / of.in_place_us : 0;
}

/// Whether the profile bears the article out; within 5 % nobody can tell.
std::string verdict(const situation& one, const duel& of) {
  if (one.about_zero_copy == claim::none || of.in_place_us == 0 || of.copy_us == 0) {
    return "";
  }
  constexpr double near_tie = 1.05;
  const bool wins = gain(of) > near_tie;
  const bool loses = gain(of) * near_tie < 1;
  const bool agrees = one.about_zero_copy == claim::wins ? wins : loses;
  return agrees ? "agrees" : wins || loses ? "disagrees" : "a tie";
}

}  // namespace

std::string article_text(const machine_profile& profile, bool colours) {
  table rows({{"situation", align::left},
              {"copy"},
              {"in host memory"},
              {"gain"},
              {"best", align::left},
              {"the article says", align::left},
              {"", align::left}});
  for (const auto& one : situations()) {
    const auto found = duel_of(one, profile);
    rows.add({one.name, time_text(found.copy_us), time_text(found.in_place_us),
              short_number(gain(found)) + "x", name_of(found.given.best()), one.said,
              verdict(one, found)});
  }
  return rows.text(colours) +
         "\ngain: time of the best copy / time with the data left in host memory, a call, by the "
         "model\n";
}

json article_json(const machine_profile& profile) {
  json all = json::array();
  for (const auto& one : situations()) {
    const auto found = duel_of(one, profile);
    all.push_back({{"situation", one.name},
                   {"copy_us", found.copy_us},
                   {"in_host_memory_us", found.in_place_us},
                   {"best", name_of(found.given.best())},
                   {"the_article_says", one.said},
                   {"verdict", verdict(one, found)}});
  }
  return all;
}

}  // namespace pinhole::tool
