// `pinhole info`: what this machine has, what it can, and what would make it able to do the rest.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pinhole/core/units.hpp"
#include "pinhole/memory/pin_budget.hpp"
#include "pinhole/platform/vram_roads.hpp"
#include "pinhole_build_info.hpp"
#include "platform/linux/host_limits.hpp"
#include "tools/command.hpp"
#include "tools/device_text.hpp"
#include "tools/support/failure.hpp"
#include "tools/support/report.hpp"
#include "tools/support/style.hpp"
#include "tools/support/table.hpp"

namespace pinhole::tool {

namespace {

// Not among the capabilities that a device was asked for when it was first used: this one takes a
// trial with real memory.
constexpr std::string_view vram_question = "VRAM in CPU address space";

/// Every GPU, then the CPU device, which every machine has.
std::vector<device> devices() {
  auto all = device::all();
  if (all.front().kind() != device_kind::cpu) {
    all.push_back(device::cpu());
  }
  return all;
}

std::string_view name_of(page_tables which) {
  switch (which) {
    case page_tables::device:
      return "device";
    case page_tables::host:
      return "host";
    case page_tables::none:
      break;
  }
  return "none";
}

struct fact {
  std::string name;
  std::string value;
};

std::string fact_lines(const std::vector<fact>& facts) {
  std::size_t width = 0;
  for (const auto& one : facts) {
    width = std::max(width, one.name.size());
  }
  std::string text;
  for (const auto& [name, value] : facts) {
    const std::string start = fmt::format("  {:<{}}  ", name, width);
    text += start + wrapped(value, start.size()) + "\n";
  }
  return text;
}

std::string bytes_or(const std::optional<std::uint64_t>& bytes, std::string_view otherwise) {
  return bytes ? format_bytes(*bytes) : std::string(otherwise);
}

// ---- text
// ----------------------------------------------------------------------------------------

/// Where the words live that kernels poll, which decides how fast signals are.
std::string signals_text(const device& where) {
  const auto road = vram_in_cpu_address_space(where);
  if (road) {
    return "words that kernels poll live in device memory, " + road.reason;
  }
  return "the slower form: words that kernels poll live in host memory, since the CPU does not "
         "reach the device's (see below)";
}

std::vector<fact> device_facts(const device& where) {
  const auto& from = where.capabilities();
  if (where.kind() == device_kind::cpu) {
    return {
        {"stands for", "a GPU, to develop and test on; its times say nothing about a PCIe link"}};
  }
  return {
      {"driver", driver_text(where) + ", runtime " + from.runtime_version},
      {"link", link_text(where)},
      {"BAR1", from.bar1_bytes ? format_bytes(*from.bar1_bytes)
                               : "unknown (" + from.link_unknown_reason + ")"},
      {"architecture", fmt::format("{}, {} multiprocessors{}", from.architecture,
                                   from.multiprocessors, from.is_mig ? ", a MIG slice" : "")},
      {"signals", signals_text(where)},
      {"memory",
       fmt::format("{}, L2 {}", format_bytes(from.memory_bytes), format_bytes(from.l2_bytes))},
      {"PCI bus", from.pci_bus_id},
      {"NUMA node", from.numa_node ? std::to_string(*from.numa_node) : "unknown"},
      {"UUID", from.uuid},
  };
}

struct answer {
  std::string_view name;
  capability is;
};

/// Yes or no for each, and why.
std::string answer_lines(const std::vector<answer>& all, std::size_t indent, bool colours) {
  std::size_t width = 0;
  for (const auto& one : all) {
    width = std::max(width, one.name.size());
  }
  std::string text;
  for (const auto& [name, is] : all) {
    const std::string start = fmt::format("{:{}}{:<{}}  ", "", indent, name, width);
    const std::string why =
        is.reason + (is.reason.empty() || is.remedy.empty() ? "" : "; ") + is.remedy;
    text += start + styled(is ? "yes" : "no ", is ? accent::green : accent::plain, colours);
    text += why.empty() ? "\n" : "  " + wrapped(why, start.size() + 5) + "\n";
  }
  return text;
}

std::string capability_lines(const capabilities& from, bool colours) {
  std::vector<answer> all;
  for (const auto& one : list(from)) {
    capability is = *one.value;
    if (one.value == &from.pageable_access && is) {
      is.reason += fmt::format("{}through the {}'s page tables", is.reason.empty() ? "" : "; ",
                               name_of(from.pageable_through));
    }
    all.push_back({one.name, std::move(is)});
  }
  return answer_lines(all, 2, colours);
}

/// The answer, and below it each road that was tried.
std::string vram_lines(const device& where, bool colours) {
  const auto roads = vram_roads(where);
  const auto reached = summary(roads);
  std::string text = fmt::format("  {}: ", vram_question);
  text += reached ? "yes, " + wrapped(reached.reason, text.size() + 5) : "no";
  std::vector<answer> each;
  if (roads.size() > 1) {
    for (const auto& one : roads) {
      each.push_back({one.name, one.open});
    }
  }
  return text + "\n" + answer_lines(each, 4, colours);
}

std::string device_section(const device& where, bool colours) {
  const std::string title =
      where.kind() == device_kind::cpu ? "cpu: the CPU device" : where.id() + ": " + where.name();
  return styled(title, accent::bold, colours) + "\n" + fact_lines(device_facts(where)) + "\n" +
         capability_lines(where.capabilities(), colours) + vram_lines(where, colours);
}

std::string limits_section(bool colours) {
  const auto group = platform::cgroup_memory_limit();
  const auto& budget = pin_budget::process();
  return styled("limits", accent::bold, colours) + "\n" +
         fact_lines({
             {"memory", fmt::format("{}, {} available", format_bytes(platform::total_memory()),
                                    bytes_or(platform::available_memory(), "unknown"))},
             {"cgroup", group ? fmt::format("{} ({})", format_bytes(group->bytes), group->source)
                              : "no limit"},
             {"RLIMIT_MEMLOCK", bytes_or(platform::memlock_limit(), "unlimited")},
             {"pin budget", fmt::format("{} ({})", format_bytes(budget.limit()), budget.origin())},
             {"pinned in use", fmt::format("{}, at most {} so far", format_bytes(budget.in_use()),
                                           format_bytes(budget.high_water()))},
             {"locked, says the kernel", bytes_or(platform::locked_memory(), "unknown")},
         });
}

// ---- JSON
// ----------------------------------------------------------------------------------------

json capability_json(const capability& from) {
  json into = {{"yes", from.yes}};
  if (!from.reason.empty()) {
    into["reason"] = from.reason;
  }
  if (!from.remedy.empty()) {
    into["remedy"] = from.remedy;
  }
  return into;
}

json capabilities_json(const capabilities& from) {
  json all = json::object();
  for (const auto& one : list(from)) {
    json& into = all[std::string(one.name)] = capability_json(*one.value);
    into["meaning"] = one.meaning;
  }
  return all;
}

json vram_json(const std::vector<vram_road>& roads) {
  json into = capability_json(summary(roads));
  into["meaning"] = "the CPU reads and writes device memory in place";
  json& each = into["roads"] = json::array();
  for (const auto& one : roads) {
    each.push_back({{"name", one.name}});
    each.back().update(capability_json(one.open));
    if (one.window_bytes > 0) {
      each.back()["window_bytes"] = one.window_bytes;
    }
  }
  return into;
}

json full_device_json(const device& where) {
  json into = device_json(where);
  const auto& from = where.capabilities();
  into["uuid"] = from.uuid;
  into["pci_bus_id"] = from.pci_bus_id;
  into["pageable_through"] = name_of(from.pageable_through);
  into["capabilities"] = capabilities_json(from);
  into["capabilities"][std::string(vram_question)] = vram_json(vram_roads(where));
  return into;
}

json limits_json() {
  const auto group = platform::cgroup_memory_limit();
  const auto optional = [](const std::optional<std::uint64_t>& value) {
    return value ? json(*value) : json(nullptr);
  };
  const auto& budget = pin_budget::process();
  return {{"memory_bytes", platform::total_memory()},
          {"available_bytes", optional(platform::available_memory())},
          {"cgroup_bytes", group ? json(group->bytes) : json(nullptr)},
          {"cgroup_source", group ? json(group->source) : json(nullptr)},
          {"memlock_bytes", optional(platform::memlock_limit())},
          {"pin_budget_bytes", budget.limit()},
          {"pin_budget_origin", budget.origin()},
          {"pinned_bytes", budget.in_use()},
          {"pinned_high_water_bytes", budget.high_water()},
          {"locked_bytes", optional(platform::locked_memory())}};
}

// ---- both
// ----------------------------------------------------------------------------------------

/// A device that does not answer must not hide the others: what it said takes its place.
template <class Show, class Excuse>
int for_each_device(Show&& show, Excuse&& excuse) {
  int code = done;
  for (const auto& where : devices()) {
    try {
      show(where);
    } catch (const error& failed) {
      excuse(where, failed);
      code = code_for(failed.kind());
    }
  }
  return code;
}

int info_as_json(const context& shared) {
  json report = provenance(shared.command_line);
  report["machine"] = machine_json();
  report["why_no_gpu"] = device::why_no_gpu().empty() ? json(nullptr) : json(device::why_no_gpu());
  json& into = report["devices"] = json::array();
  const int code = for_each_device(
      [&](const device& where) { into.push_back(full_device_json(where)); },
      [&](const device& where, const error& failed) {
        into.push_back({{"id", where.id()}, {"name", where.name()}, {"error", failed.what()}});
      });
  report["limits"] = limits_json();
  print(pretty(report));
  return code;
}

int info_as_text() {
  const bool colours = wants_colours(platform::standard_stream::output);
  std::string text = fmt::format("pinhole {} (commit {})\n", version(), build_commit());
  if (const auto why = device::why_no_gpu(); !why.empty()) {
    text += wrapped("no GPU: " + why, 0) + "\n";
  }
  const int code = for_each_device(
      [&](const device& where) { text += "\n" + device_section(where, colours); },
      [&](const device& where, const error& failed) {
        text += fmt::format("\n{}: {}\n  {}\n", where.id(), where.name(), failed.what());
      });
  print(text + "\n" + limits_section(colours));
  return code;
}

}  // namespace

void add_info(CLI::App& app, const context& given, action& chosen) {
  auto as_json = std::make_shared<bool>(false);
  auto* const command = app.add_subcommand("info", "");
  command->add_flag("--json", *as_json, "no value");
  command->callback([as_json, &given, &chosen] {
    chosen = [as_json, &given] { return *as_json ? info_as_json(given) : info_as_text(); };
  });
}

}  // namespace pinhole::tool
