// The topic `signal`: how fast host and device talk while both run.
#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "benchmarks/topics.hpp"
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
