// Draws the model: asks for advice all over the plane of patterns.
#include <algorithm>
#include <cmath>
#include <vector>

#include "pinhole/advice/advise.hpp"
#include "pinhole/core/error.hpp"
#include "pinhole/core/units.hpp"
#include "tools/report_data.hpp"

namespace pinhole::tool {

namespace {

constexpr std::uint64_t unit = 128;
constexpr std::uint64_t calls = 1000;

json point(double x, double y) {
  return {{"x", x}, {"y", y}};
}

/// What a call costs apart from the host's own writes and the set-up, as scenarios time it.
json crossover(const machine_profile& profile, const json& points) {
  json series = json::array();
  for (const auto& costs : profile.placements) {
    const std::string name(to_string(costs.how));
    json line = json::array();
    for (std::uint64_t bytes = 4; bytes <= 1_GiB; bytes *= 2) {
      const auto given = advise({.bytes = bytes, .calls = calls}, profile);
      for (const auto& one : given.ranking()) {
        if (one.how == costs.how && one.problem == obstacle::none) {
          line.push_back(
              point(static_cast<double>(bytes), one.us - one.terms.host - one.terms.setup));
        }
      }
    }
    series.push_back(
        {{"name", name}, {"line", std::move(line)}, {"points", points.value(name, json::array())}});
  }
  return series;
}

/// The winner and all times; empty where the share is less than a unit, or nothing has room.
json cell(const machine_profile& profile, std::uint64_t bytes, double share) {
  const std::uint64_t all_units = bytes / unit;
  const double units = std::round(share * static_cast<double>(all_units));
  if (units < 1) {
    return {};
  }
  try {
    const auto given = advise({.bytes = bytes,
                               .touched_units = static_cast<std::uint64_t>(units),
                               .unit_bytes = unit,
                               .order = access_order::random,
                               .calls = calls},
                              profile);
    json times = json::array();
    for (const auto& one : given.ranking()) {
      if (one.problem == obstacle::none) {
        times.push_back({name_of(one), one.us});
      }
    }
    json made = point(static_cast<double>(bytes), share);
    made["winner"] = to_string(given.placement);
    made["times"] = std::move(times);
    return made;
  } catch (const error& no_room) {
    return {};
  }
}

json decision_map(const machine_profile& profile) {
  constexpr int columns = 21;
  constexpr int rows = 19;
  json cells = json::array();
  for (int column = 0; column < columns; ++column) {
    for (int row = 0; row < rows; ++row) {
      const double share = std::pow(10, -row / 3.);
      if (auto one = cell(profile, 4_KiB << static_cast<unsigned>(column), share); !one.empty()) {
        cells.push_back(std::move(one));
      }
    }
  }
  return {{"columns", columns}, {"rows", rows}, {"cells", std::move(cells)}};
}

json cliff(const machine_profile& profile) {
  json series = json::array();
  for (const auto& costs : profile.placements) {
    const bool is_local = costs.how == placement::staged || costs.how == placement::vram;
    const auto& access = is_local ? profile.local_read : profile.link_read;
    json line = json::array();
    for (std::uint64_t bytes = 16_MiB; bytes <= 16_GiB; bytes += bytes / 4) {
      const double mib = static_cast<double>(bytes) / static_cast<double>(1_MiB);
      const double beyond = std::max(0., 1 - costs.page_reach_mib.value / mib);
      line.push_back(point(static_cast<double>(bytes),
                           1e3 / access.requests_per_us.value + beyond * costs.page_walk_ns.value));
    }
    series.push_back({{"name", to_string(costs.how)}, {"line", std::move(line)}});
  }
  return series;
}

struct step {
  const char* name;
  figure us;
};

/// What a run of 64 bytes takes the CPU.
figure line_of(const host_access& access) {
  const double bytes_us = 64 / (access.gb_per_s.value * 1e3);
  return {.value = access.per_run_us.value + bytes_us,
          .low = access.per_run_us.low + bytes_us,
          .high = access.per_run_us.high + bytes_us};
}

json ladder(const machine_profile& profile) {
  std::vector<step> steps = {
      {"the CPU writes 64 B of its memory", line_of(profile.cached_write)},
      {"a kernel's first read over the link", profile.link_read.latency_us},
      {"a copy to the device, beside a kernel", profile.to_device.overhead_us},
      {"a copy to the host, beside a kernel", profile.to_host.overhead_us},
      {"a launch and the wait for it", profile.launch_wait_us},
      {"what a copy waits while others run", profile.busy_copy_wait_us},
  };
  if (profile.vram_write && profile.vram_read) {
    steps.push_back({"the CPU writes 64 B of VRAM", line_of(*profile.vram_write)});
    steps.push_back({"the CPU reads 64 B of VRAM", line_of(*profile.vram_read)});
  }
  if (profile.mailbox_us) {
    steps.push_back({"a mailbox round trip to a kernel that stays", *profile.mailbox_us});
  }
  // What the calibration could not tell from nothing has no place on a logarithmic axis.
  std::erase_if(steps, [](const step& one) { return one.us.value <= 0; });
  std::ranges::sort(steps, {}, [](const step& one) { return one.us.value; });
  json all = json::array();
  for (const auto& one : steps) {
    all.push_back(
        {{"name", one.name}, {"us", one.us.value}, {"low", one.us.low}, {"high", one.us.high}});
  }
  return all;
}

}  // namespace

json model_charts(const machine_profile& profile, const json& points) {
  return {{"crossover", crossover(profile, points)},
          {"map", decision_map(profile)},
          {"cliff", cliff(profile)},
          {"ladder", ladder(profile)}};
}

}  // namespace pinhole::tool
