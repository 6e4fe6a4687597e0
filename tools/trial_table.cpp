// Which figure of a trial goes where.
#include "tools/trial_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pinhole/core/units.hpp"
#include "tools/support/numbers.hpp"
#include "tools/support/table.hpp"

namespace pinhole::tool {

namespace {

using scenarios::arm_result;
using scenarios::reading;
using scenarios::role;
using scenarios::trial_result;

/// "us/turn", "GB/s", "books/s"; empty where the time itself is the reading.
std::string reading_title(const trial_result& from) {
  switch (from.read_as) {
    case reading::time_per_unit:
      return "us/" + from.unit;
    case reading::rate:
      return from.unit == "B" ? "GB/s" : from.unit + "s/s";
    case reading::time:
      break;
  }
  return {};
}

std::string reading_of(const trial_result& from, const arm_result& one) {
  switch (from.read_as) {
    case reading::time_per_unit:
      return short_number(one.median_us / from.units);
    case reading::rate: {
      const double per_second = from.units / (one.median_us * 1e-6);
      return short_number(from.unit == "B" ? per_second / 1e9 : per_second);
    }
    case reading::time:
      break;
  }
  return {};
}

std::string ratio_text(std::optional<double> ratio) {
  return ratio ? short_number(*ratio) + "x" : "";
}

std::string against(const std::string& opponent) {
  return opponent.empty() ? "" : "vs " + opponent;
}

/// A pitfall is compared with nothing; what it is stands there instead.
std::string first_ratio_text(const arm_result& one) {
  return one.stands_for == role::pitfall ? "pitfall" : ratio_text(one.vs_naive);
}

/// Counts as they are, bytes in their units, everything else to three digits.
std::string value_text(const scenarios::metric& figure) {
  if (figure.unit == "B" && figure.value >= 0) {
    return format_bytes(static_cast<std::uint64_t>(figure.value));
  }
  const std::string number = figure.value == std::floor(figure.value)
                                 ? fmt::format("{:.0f}", figure.value)
                                 : short_number(figure.value);
  return figure.unit.empty() ? number : number + " " + figure.unit;
}

const arm_result* winner(const trial_result& from) {
  const arm_result* best = nullptr;
  for (const auto& one : from.arms) {
    if (one.stands_for != role::pitfall && (best == nullptr || one.median_us < best->median_us)) {
      best = &one;
    }
  }
  return best;
}

std::string runs_text(const trial_result& from) {
  std::size_t fewest = from.arms.empty() ? 0 : from.arms.front().samples_us.size();
  std::size_t most = fewest;
  for (const auto& one : from.arms) {
    fewest = std::min(fewest, one.samples_us.size());
    most = std::max(most, one.samples_us.size());
  }
  return fewest == most ? fmt::format("{} samples an arm", most)
                        : fmt::format("{} to {} samples an arm", fewest, most);
}

/// "  mapped: 12 stale reads, 3 % missed", for the figures that have no column.
std::string metrics_text(const arm_result& one) {
  std::string text;
  for (const auto& figure : one.metrics) {
    text += fmt::format("{} {} {}", text.empty() ? "" : ",", figure.name, value_text(figure));
  }
  const std::string start = fmt::format("  {}: ", one.name);
  return text.empty() ? "" : start + wrapped(text.substr(1), start.size()) + "\n";
}

}  // namespace

std::string trial_text(const trial_result& from, bool colours) {
  table rows({{"arm", align::left},
              {"median"},
              {"p99"},
              {reading_title(from)},
              {"to device"},
              {"to host"},
              {against(from.naive_opponent)},
              {against(from.expert_opponent)}});
  const auto* const best = winner(from);
  for (const auto& one : from.arms) {
    const auto how = one.stands_for == role::pitfall ? accent::dim
                     : &one == best                  ? accent::green
                                                     : accent::plain;
    rows.add({one.name, time_text(one.median_us), time_text(one.p99_us), reading_of(from, one),
              format_bytes(one.moved.to_device), format_bytes(one.moved.to_host),
              first_ratio_text(one), ratio_text(one.vs_expert)},
             how);
  }
  std::string text = styled(from.scenario + ": " + from.label, accent::bold, colours);
  text += fmt::format(" ({})\n", runs_text(from)) + rows.text(colours);
  for (const auto& one : from.arms) {
    text += metrics_text(one);
  }
  for (const auto& note : from.notes) {
    text += "  note: " + wrapped(note, 8) + "\n";
  }
  return text;
}

}  // namespace pinhole::tool
