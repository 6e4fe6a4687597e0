// `pinhole compare`: runs scenarios over placements and shows what each costs.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/linux/interrupt.hpp"
#include "platform/linux/machine.hpp"
#include "platform/linux/replace_file.hpp"
#include "scenarios/runner.hpp"
#include "tools/command.hpp"
#include "tools/compare_options.hpp"
#include "tools/device_text.hpp"
#include "tools/regret.hpp"
#include "tools/report_page.hpp"
#include "tools/support/failure.hpp"
#include "tools/support/progress_bar.hpp"
#include "tools/support/report.hpp"
#include "tools/support/style.hpp"
#include "tools/support/table.hpp"
#include "tools/trial_table.hpp"

namespace pinhole::tool {

namespace {

using clock = std::chrono::steady_clock;

// Without --full and --repeat all trials together take about this long, each at most one second.
constexpr double seconds_for_all = 40;
constexpr double most_seconds_a_trial = 1;
constexpr double most_seconds_a_full_trial = 3;

/// On the CPU device the warning comes first: whatever is read of the output, this is.
std::string device_lines(const device& where) {
  if (where.kind() != device_kind::cpu) {
    return fmt::format("{} ({}), driver {}, link {}\n", where.name(), where.id(),
                       driver_text(where), link_text(where));
  }
  const auto why = device::why_no_gpu();
  const auto host = platform::describe_machine();
  return fmt::format(
      "CPU device: its times say nothing about a PCIe link\n{}\ncpu ({}), {} logical CPUs, no "
      "driver, no link\n",
      wrapped(why.empty() ? "chosen with --device" : "no GPU: " + why, 0),
      host.cpu.empty() ? "unknown" : host.cpu, host.logical_cpus);
}

std::string header(const compare_request& asked) {
  const auto runs = asked.repeat ? fmt::format("{} runs an arm", *asked.repeat)
                                 : std::string("as many runs an arm as the time allows, 5 to 1000");
  return device_lines(asked.settings.where) +
         fmt::format("{}; {}\n", asked.settings.full ? "the article's sizes" : "quick sizes",
                     runs) +
         "\"vs X\" is the median of X / the median of the arm: above 1x, the arm is faster\n";
}

std::string list_text(const scenario_list& known) {
  table rows({{"scenario", align::left}, {"what it does", align::left}});
  for (const auto* one : known) {
    rows.add({std::string(one->name()), std::string(one->summary())});
  }
  return rows.text(wants_colours(platform::standard_stream::output));
}

json options_json(const compare_options& given) {
  json options = {
      {"scenarios", given.scenarios}, {"placements", given.placements}, {"full", given.full}};
  for (const auto& [name, value] : given.values) {
    options[name.substr(2)] = value;
  }
  return options;
}

/// Thrown between two runs once a signal came.
struct interrupted {};

void stop_when_interrupted() {
  if (platform::deferred_interrupt() != 0) {
    throw interrupted{};
  }
}

class comparison {
 public:
  comparison(const compare_options& given, const context& shared)
      : given_(given),
        shared_(shared),
        asked_(checked(given, shared.scenarios)),
        report_(given.value_of("--json")),
        prints_(report_ != "-") {
    if (const auto page = given.value_of("--html")) {
      require_page("--html", *page);
    }
  }

  void run() {
    for (const auto* scenario : asked_.scenarios) {
      plans_.emplace_back(scenario, scenario->plan(asked_.settings));
      trials_ += plans_.back().second.size();
    }
    show(header(asked_));
    for (const auto& [scenario, trials] : plans_) {
      std::vector<scenarios::trial_result> results;
      for (const auto& planned : trials) {
        results.push_back(run_trial(*scenario, planned));
        ++finished_;
      }
      conclude(*scenario, results);
    }
    write_report();
  }

 private:
  scenarios::trial_result run_trial(const scenarios::scenario& scenario,
                                    const scenarios::planned_trial& planned) {
    const std::string what = fmt::format("{}: {}", scenario.name(), planned.label);
    const auto progress = [&](double done) {
      stop_when_interrupted();
      bar_.show(what, (finished_ + done) / static_cast<double>(trials_));
    };
    progress(0);
    const auto trial = planned.make();
    auto result =
        scenarios::run(scenario.name(), *trial,
                       {.repeat = asked_.repeat, .seconds = seconds(), .progress = progress});
    show("\n" + trial_text(result, wants_colours(platform::standard_stream::output)));
    trials_json_.push_back(trial_json(result));
    return result;
  }

  void conclude(const scenarios::scenario& scenario,
                const std::vector<scenarios::trial_result>& results) {
    const auto conclusions = scenario.conclude(results);
    for (const auto& line : conclusions) {
      show(fmt::format("  {}\n", wrapped(line, 2)));
    }
    conclusions_json_[std::string(scenario.name())] = conclusions;
  }

  /// An equal share of the time that is left, so that slow trials are paid for by the later ones.
  [[nodiscard]] double seconds() const {
    if (asked_.settings.full) {
      return most_seconds_a_full_trial;
    }
    const double left =
        seconds_for_all - std::chrono::duration<double>(clock::now() - start_).count();
    return std::clamp(left / (static_cast<double>(trials_) - finished_), 0.02,
                      most_seconds_a_trial);
  }

  void write_report() const {
    json report = provenance(shared_.command_line);
    report["machine"] = machine_json();
    report["device"] = device_json(asked_.settings.where);
    report["options"] = options_json(given_);
    report["trials"] = trials_json_;
    report["conclusions"] = conclusions_json_;
    if (report_ == "-") {
      print(pretty(report));
    } else if (report_) {
      platform::replace_file(*report_, pretty(report));
    }
    if (const auto page = given_.value_of("--html")) {
      write_page(*page, report, asked_.settings.where);
    }
  }

  void show(const std::string& text) {
    bar_.wipe();
    if (prints_) {
      print(text);
    }
  }

  const compare_options& given_;
  const context& shared_;
  compare_request asked_;
  std::optional<std::string> report_;
  bool prints_;  ///< not where standard output is for the report
  std::vector<std::pair<const scenarios::scenario*, std::vector<scenarios::planned_trial>>> plans_;
  std::size_t trials_ = 0;  ///< of all scenarios
  double finished_ = 0;     ///< of these
  json trials_json_ = json::array();
  json conclusions_json_ = json::object();
  progress_bar bar_;
  clock::time_point start_ = clock::now();
};

int compare(const compare_options& given, const context& shared) {
  if (given.list) {
    print(list_text(shared.scenarios));
    return done;
  }
  if (given.regret) {
    return compare_regret(given, shared);
  }
  platform::defer_interrupts();
  try {
    comparison(given, shared).run();
  } catch (const interrupted&) {
    throw failure("interrupted; no report was written", 128 + platform::deferred_interrupt());
  }
  return done;
}

}  // namespace

void add_compare(CLI::App& app, const context& given, action& chosen) {
  auto options = std::make_shared<compare_options>();
  auto* const command = app.add_subcommand("compare", "");
  declare(*command, *options);
  command->callback([options, &given, &chosen] {
    chosen = [options, &given] { return compare(*options, given); };
  });
}

}  // namespace pinhole::tool
