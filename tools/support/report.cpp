// What goes into every report.
#include "tools/support/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "pinhole_build_info.hpp"
#include "platform/linux/host_limits.hpp"
#include "platform/linux/machine.hpp"

namespace pinhole::tool {

namespace {

std::string date_now() {
  using namespace std::chrono;
  const auto now = floor<seconds>(system_clock::now());
  const year_month_day date{floor<days>(now)};
  const hh_mm_ss time{now - floor<days>(now)};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     time.hours().count(), time.minutes().count(), time.seconds().count());
}

template <class T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json(nullptr);
}

json text_or_null(const std::string& text) {
  return text.empty() ? json(nullptr) : json(text);
}

std::string_view name_of(scenarios::reading read_as) {
  switch (read_as) {
    case scenarios::reading::time_per_unit:
      return "time_per_unit";
    case scenarios::reading::rate:
      return "rate";
    case scenarios::reading::time:
      break;
  }
  return "time";
}

json arm_json(const scenarios::arm_result& from) {
  json metrics = json::array();
  for (const auto& one : from.metrics) {
    metrics.push_back({{"name", one.name}, {"unit", one.unit}, {"value", one.value}});
  }
  return {{"name", from.name},
          {"role", to_string(from.stands_for)},
          {"placement", from.placed ? json(to_string(*from.placed)) : json(nullptr)},
          {"median_us", from.median_us},
          {"p99_us", from.p99_us},
          {"bytes_to_device", from.moved.to_device},
          {"bytes_to_host", from.moved.to_host},
          {"vs_naive", or_null(from.vs_naive)},
          {"vs_expert", or_null(from.vs_expert)},
          {"metrics", std::move(metrics)},
          {"samples_us", from.samples_us}};
}

std::string scalar(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

void write(const json& value, std::size_t indent, std::string& into) {
  const bool flat = value.empty() || std::none_of(value.begin(), value.end(), [](const json& one) {
                      return one.is_structured();
                    });
  if (!value.is_structured() || (value.is_array() && flat)) {
    into += scalar(value);
    return;
  }
  const std::string margin(indent + 1, ' ');
  into += value.is_array() ? '[' : '{';
  const char* separator = "\n";
  for (const auto& [key, one] : value.items()) {
    into += separator + margin;
    if (value.is_object()) {
      into += scalar(json(key)) + ": ";
    }
    write(one, indent + 1, into);
    separator = ",\n";
  }
  into += "\n" + std::string(indent, ' ') + (value.is_array() ? ']' : '}');
}

}  // namespace

json provenance(const std::vector<std::string>& command_line) {
  json command = command_line;
  if (!command.empty()) {
    command[0] = std::filesystem::path(command_line.front()).filename().string();
  }
  return {{"version", version()},
          {"commit", build_commit()},
          {"dirty", build_is_dirty()},
          {"date", date_now()},
          {"command", std::move(command)}};
}

json machine_json() {
  const auto facts = platform::describe_machine();
  return {{"cpu", text_or_null(facts.cpu)},
          {"logical_cpus", facts.logical_cpus},
          {"memory_bytes", platform::total_memory()},
          {"kernel", text_or_null(facts.kernel)}};
}

json device_json(const device& where) {
  const auto& facts = where.capabilities();
  return {{"id", where.id()},
          {"name", where.name()},
          {"kind", where.kind() == device_kind::cpu ? "cpu" : "cuda"},
          {"architecture", facts.architecture},
          {"multiprocessors", facts.multiprocessors},
          {"memory_bytes", facts.memory_bytes},
          {"l2_bytes", facts.l2_bytes},
          {"driver", text_or_null(facts.driver_version)},
          {"cuda_driver", text_or_null(facts.cuda_driver_version)},
          {"cuda_runtime", text_or_null(facts.runtime_version)},
          {"mig", facts.is_mig},
          {"numa_node", or_null(facts.numa_node)},
          {"link",
           {{"pcie_generation", or_null(facts.pcie_generation)},
            {"pcie_width", or_null(facts.pcie_width)},
            {"bar1_bytes", or_null(facts.bar1_bytes)},
            {"unknown_because", text_or_null(facts.link_unknown_reason)}}}};
}

json trial_json(const scenarios::trial_result& from) {
  json arms = json::array();
  for (const auto& one : from.arms) {
    arms.push_back(arm_json(one));
  }
  return {{"scenario", from.scenario},
          {"label", from.label},
          {"units", from.units},
          {"unit", from.unit},
          {"read_as", name_of(from.read_as)},
          {"naive_opponent", text_or_null(from.naive_opponent)},
          {"expert_opponent", text_or_null(from.expert_opponent)},
          {"notes", from.notes},
          {"arms", std::move(arms)}};
}

std::string pretty(const json& value) {
  std::string text;
  write(value, 0, text);
  return text + "\n";
}

}  // namespace pinhole::tool
