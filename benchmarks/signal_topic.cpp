// The topic `signal`: how fast host and device talk while both run.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "benchmarks/topics.hpp"
#include "scenarios/catalog.hpp"
#include "scenarios/runner.hpp"
#if !defined(PINHOLE_CPU_ONLY)
#include "benchmarks/signal_work.hpp"
#endif

namespace pinhole::measure {

#if defined(PINHOLE_CPU_ONLY)

topic_result measure_signal(const topic_request& /*asked*/) {
  topic_result result;
  result.missing.emplace_back("every figure of signal: a CPU-only build has no link to measure");
  return result;
}

#else

namespace {

double quantile(std::vector<double> samples, double q) {
  const auto at = static_cast<std::size_t>(q * static_cast<double>(samples.size() - 1));
  std::ranges::nth_element(samples, samples.begin() + static_cast<std::ptrdiff_t>(at));
  return samples[at];
}

json quantiles(const std::vector<double>& us) {
  return {{"p50_us", quantile(us, 0.5)},
          {"p99_us", quantile(us, 0.99)},
          {"p99.9_us", quantile(us, 0.999)}};
}

struct wanted {
  const char* name;
  const char* unit;
  const char* opponent;
  formula how;
};

/// The arms of a scenario, which take turns, in its last trial.
void add_arms(const topic_request& asked, const scenarios::scenario& of,
              const scenarios::settings& settings, topic_result& result) {
  const std::string name(of.name());
  const auto made = of.plan(settings).back().make();
  const auto measured =
      scenarios::run(name, *made, {.repeat = {}, .seconds = 3, .progress = [&](double done) {
                                     asked.progress(name.c_str(), 0.9 + 0.1 * done);
                                   }});
  for (const auto& arm : measured.arms) {
    result.samples.add(name + "/" + arm.name, arm.samples_us);
    result.details["latencies"][name + "/" + arm.name] = quantiles(arm.samples_us);
  }
}

void add_scenarios(const topic_request& asked, topic_result& result) {
  scenarios::settings settings{.where = asked.where,
                               .placements = {},
                               .size = {},
                               .full = asked.full,
                               .text_file = {},
                               .words_file = {}};
  add_arms(asked, scenarios::flag(), settings, result);
  settings.rate = 10'000;
  add_arms(asked, scenarios::lookup(), settings, result);
}

}  // namespace

topic_result measure_signal(const topic_request& asked) {
  topic_result result;
  if (asked.where.kind() == device_kind::cpu) {
    result.missing.emplace_back("every figure of signal: the CPU device has no link to measure");
    return result;
  }
  const auto measured = measure_signal_work(asked.where, asked.full, asked.progress);
  if (measured.wrong != 0) {
    throw std::runtime_error(std::to_string(measured.wrong) +
                             " messages or elements were lost, torn or stale");
  }
  result.details["rounds_checked"] = measured.rounds_checked;
  result.details["elements_checked"] = measured.elements_checked;
  const std::pair<const char*, const std::vector<double>*> sets[] = {
      {"mailbox 12 B, us", &measured.mailbox_12},
      {"mailbox 12 B, all memory ordered, us", &measured.mailbox_12_ordered},
      {"mailbox 4 KiB, us", &measured.mailbox_4k},
      {"launch and synchronize, us", &measured.launch},
      {"pcie read, us", &measured.pcie_read},
      {"ring to device, elements/s", &measured.ring_down},
      {"ring to host, elements/s", &measured.ring_up},
      {"idle cost, share", &measured.idle_cost}};
  for (const auto& [name, samples] : sets) {
    result.samples.add(name, *samples);
    if (std::string_view(name).ends_with("us")) {
      result.details["latencies"][name] = quantiles(*samples);
    }
  }
  add_scenarios(asked, result);
  const wanted all[] = {
      {"mailbox_12B_round_trip_p50_us", "us", "none", {"median", "mailbox 12 B, us", ""}},
      {"mailbox_12B_vs_launch_and_synchronize",
       "ratio",
       "empty kernel launch and stream synchronise, pinned host thread",
       {"ratio_of_medians", "launch and synchronize, us", "mailbox 12 B, us"}},
      {"mailbox_vs_pcie_read",
       "ratio",
       "pointer chase over mapped memory, same run",
       {"ratio_of_medians", "mailbox 12 B, us", "pcie read, us"}},
      {"mailbox_4KiB_round_trip_p50_us", "us", "none", {"median", "mailbox 4 KiB, us", ""}},
      {"ring_to_device_64B", "elements/s", "none", {"median", "ring to device, elements/s", ""}},
      {"ring_to_host_64B", "elements/s", "none", {"median", "ring to host, elements/s", ""}},
      {"lookup_mailbox_vs_graph_p50_at_10k",
       "ratio",
       "one graph launch per request",
       {"ratio_of_medians", "lookup/graph", "lookup/mailbox"}},
      {"flag_resident_vs_copy_loop",
       "ratio",
       "the article's copy loop, same grid and same work a turn",
       {"ratio_of_medians", "flag/copy", "flag/resident flag"}},
      {"flag_resident_vs_mapped_loop",
       "ratio",
       "the article's mapped loop, same grid and work",
       {"ratio_of_medians", "flag/mapped", "flag/resident flag"}},
      {"resident_idle_cost",
       "share",
       "a bandwidth-bound kernel without a resident beside it",
       {"median", "idle cost, share", ""}}};
  for (const auto& one : all) {
    result.figures.push_back(
        figure_json({.name = one.name, .unit = one.unit, .opponent = one.opponent, .how = one.how},
                    result.samples));
  }
  return result;
}

#endif

}  // namespace pinhole::measure
