// The topic `advice`: calibrates the machine, then shows whether the advice that follows is right.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <system_error>
#include <vector>

#include "benchmarks/measure.hpp"
#include "benchmarks/topics.hpp"
#include "pinhole/advice/advise.hpp"
#include "pinhole/advice/calibrate.hpp"
#include "pinhole/core/units.hpp"
#include "pinhole/memory/pin_budget.hpp"
#include "platform/linux/host_limits.hpp"
#include "scenarios/regret.hpp"
#include "tools/regret.hpp"

namespace pinhole::measure {

namespace {

namespace fs = std::filesystem;
using clock = std::chrono::steady_clock;
using scenarios::regret_result;

double seconds_since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

/// Lets more be pinned while it lives: every placement's buffer of 4 GiB exists at once, at home in
/// host memory.
class raised_budget {
 public:
  raised_budget() {
    const std::uint64_t total = platform::total_memory();
    const auto group = platform::cgroup_memory_limit();
    const std::uint64_t a_quarter = std::min(total, group ? group->bytes : total) / 4;
    auto& budget = pin_budget::process();
    budget.set_limit(std::max(budget.limit(), std::min<std::uint64_t>(32_GiB, a_quarter)));
  }
  ~raised_budget() { pin_budget::process().clear_limit(); }
  raised_budget(const raised_budget&) = delete;
  raised_budget& operator=(const raised_budget&) = delete;
};

/// The program `pinhole`, beside this one as in a bundle, or in the build folder; or empty.
fs::path pinhole_program() {
  std::error_code unknown;
  const auto here = fs::read_symlink("/proc/self/exe", unknown).parent_path();
  for (const auto& candidate : {here / "pinhole", here.parent_path() / "tools" / "pinhole",
                                here.parent_path().parent_path() / "tools" / "pinhole"}) {
    if (fs::is_regular_file(candidate, unknown)) {
      return candidate;
    }
  }
  return {};
}

class advice_bench {
 public:
  explicit advice_bench(const topic_request& asked) : asked_(asked) {}

  topic_result run() {
    const auto quick = quick_profile();
    const auto full = asked_.full ? full_profile() : quick;
    const auto result = measure_regret(full);
    judge(result, quick);
    time_a_call(result, full);
    time_the_program(full);
    result_.details["profile"] = json::parse(to_json(full));
    result_.details["quick_profile"] = json::parse(to_json(quick));
    result_.details.update(tool::regret_json(result));
    result_.files.emplace_back(profile_name(full), to_json(full));
    return std::move(result_);
  }

 private:
  void keep(const std::string& name, const std::string& unit, const std::string& opponent,
            const formula& how) {
    result_.figures.push_back(figure_json(
        {.name = name, .unit = unit, .opponent = opponent, .how = how}, result_.samples));
  }

  machine_profile calibrated(calibration_depth depth, const char* what, double from, double to) {
    return calibrate(asked_.where, {.depth = depth, .progress = [&](std::string_view, double done) {
                                      asked_.progress(what, from + (to - from) * done);
                                    }});
  }

  /// What `advise` measures by itself the first time; the last of three, each timed.
  machine_profile quick_profile() {
    std::vector<double> seconds;
    machine_profile profile;
    for (unsigned i = 0; i < (asked_.full ? 3 : 1); ++i) {
      const auto start = clock::now();
      profile = calibrated(calibration_depth::quick, "calibrate --quick", 0.02 * i, 0.02 * (i + 1));
      seconds.push_back(seconds_since(start));
    }
    result_.samples.add("calibrate_quick_s", seconds);
    keep("calibrate_quick_s", "s", "none", {.op = "median", .numerator = "calibrate_quick_s"});
    return profile;
  }

  machine_profile full_profile() {
    const auto start = clock::now();
    auto profile = calibrated(calibration_depth::full, "calibrate --full", 0.06, 0.3);
    result_.samples.add("calibrate_full_s", {seconds_since(start)});
    keep("calibrate_full_s", "s", "none", {.op = "median", .numerator = "calibrate_full_s"});
    return profile;
  }

  regret_result measure_regret(const machine_profile& profile) {
    scenarios::regret_options options{
        .patterns = asked_.full ? 500U : 12U,
        .seed = std::random_device()(),
        .most_bytes = asked_.full ? 4_GiB : 64_KiB,
        .seconds_of_pattern = asked_.full ? 0.15 : 0,
        .most_rounds = 120,
        .longest_call_seconds = 0.25,
        .progress = [&](double done) { asked_.progress("regret", 0.3 + 0.65 * done); }};
    const raised_budget raised;
    if (asked_.full) {
      options.most_bytes = std::min<std::uint64_t>(4_GiB, pin_budget::process().limit() / 5);
    }
    result_.details["pattern_space"] = {{"seed", options.seed},
                                        {"patterns", options.patterns},
                                        {"longest_call_s", options.longest_call_seconds},
                                        {"most_bytes", options.most_bytes}};
    const auto start = clock::now();
    auto result = scenarios::measure_regret(asked_.where, profile, options);
    result_.details["regret_s"] = seconds_since(start);
    return result;
  }

  /// The advice by both profiles and the three rules, all by the same measurements.
  void judge(const regret_result& result, const machine_profile& quick) {
    for (const auto& one : result.judgements) {
      result_.samples.add("regret/" + one.name, one.regrets);
    }
    const auto by_quick = scenarios::judged(advised_by(quick, result.patterns));
    result_.samples.add("regret/advice, quick profile", by_quick.judgements.front().regrets);
    result_.samples.add("error/quick profile", by_quick.predictions.front().errors);
    for (const auto& one : result.predictions) {
      result_.samples.add("error/" + one.name, one.errors);
    }
    const char* const oracle =
        "in-run oracle; best picked on half of the repetitions, judged on the other half";
    const std::string advice = "regret/advice";
    keep("regret_geomean", "ratio", oracle, {.op = "geomean", .numerator = advice});
    keep("regret_worst", "ratio", "as above", {.op = "largest", .numerator = advice});
    keep("best_choice_share", "share", "as above, near-ties within 3 % count",
         {.op = "share_up_to", .numerator = advice, .limit = 1.03});
    const auto best_rule = std::ranges::min_element(
        result.judgements.begin() + 1, result.judgements.end(), {}, &scenarios::judgement::geomean);
    keep("regret_vs_best_of_three_rules", "ratio",
         "geomean regret of the best of: always copy, always zero-copy, copy above 28 KiB",
         {.op = "ratio_of_geomeans",
          .numerator = advice,
          .denominator = "regret/" + best_rule->name});
    for (auto rule = result.judgements.begin() + 1; rule != result.judgements.end(); ++rule) {
      std::string name = "regret_vs_" + rule->name;
      std::ranges::replace(name, ' ', '_');
      keep(name, "ratio", "geomean regret of the rule: " + rule->name,
           {.op = "ratio_of_geomeans", .numerator = advice, .denominator = "regret/" + rule->name});
    }
    keep("regret_geomean_quick_profile", "ratio", oracle,
         {.op = "geomean", .numerator = "regret/advice, quick profile"});
    keep("prediction_median_error", "share", "measured time",
         {.op = "median", .numerator = "error/all"});
    keep("prediction_within_30_percent", "share", "measured time",
         {.op = "share_up_to", .numerator = "error/all", .limit = 0.3});
    for (auto one = result.predictions.begin() + 1; one != result.predictions.end(); ++one) {
      keep("prediction_median_error_" + one->name, "share", "measured time",
           {.op = "median", .numerator = "error/" + one->name});
    }
  }

  /// advise() over all patterns of the regret, one sample a pass.
  void time_a_call(const regret_result& result, const machine_profile& profile) {
    asked_.progress("advise()", 0.96);
    std::vector<double> us;
    double foreseen = 0;
    for (int i = 0; i < 50; ++i) {
      const auto start = clock::now();
      for (const auto& one : result.patterns) {
        foreseen += advise(one.pattern, profile).best().us;
      }
      us.push_back(seconds_since(start) * 1e6 / static_cast<double>(result.patterns.size()));
    }
    if (foreseen > 0) {  // so that the calls cannot be left out
      result_.samples.add("advise_call_us", us);
      keep("advise_call_us", "us", "none", {.op = "median", .numerator = "advise_call_us"});
    }
  }

  /// `pinhole advise` with a profile, as a process; what the shell adds is counted too.
  void time_the_program(const machine_profile& profile) {
    asked_.progress("pinhole advise", 0.97);
    const auto program = pinhole_program();
    if (program.empty()) {
      result_.missing.emplace_back("advise_process_ms: the program pinhole is not beside this one");
      return;
    }
    const auto file =
        fs::temp_directory_path() / fmt::format("pinhole-advice-{:x}.json", std::random_device()());
    save_profile(profile, file.string());
    const auto command = fmt::format(
        "'{}' advise --profile '{}' --bytes 1G --touched 64 --unit 128 --order random >/dev/null",
        program.string(), file.string());
    std::vector<double> ms;
    for (int i = -2; i < 30; ++i) {  // two to warm up
      const auto start = clock::now();
      const int code = std::system(command.c_str());  // NOLINT(cert-env33-c,concurrency-mt-unsafe)
      if (code != 0) {
        result_.missing.push_back(fmt::format("advise_process_ms: pinhole ended with {}", code));
        break;
      }
      if (i >= 0) {
        ms.push_back(seconds_since(start) * 1e3);
      }
    }
    std::error_code ignored;
    fs::remove(file, ignored);
    if (ms.size() == 30) {
      result_.samples.add("advise_process_ms", ms);
      keep("advise_process_ms", "ms", "none", {.op = "median", .numerator = "advise_process_ms"});
    }
  }

  /// Below the folder of the results, as it is no file of results: "profiles/h200-pcie5.json".
  [[nodiscard]] std::string profile_name(const machine_profile& profile) const {
    const auto& link = asked_.where.capabilities();
    const std::string pcie =
        link.pcie_generation ? fmt::format("-pcie{}", *link.pcie_generation) : "";
    return "profiles/" + machine_name(asked_.where) + (profile.machine.kind == "cpu" ? "" : pcie) +
           ".json";
  }

  const topic_request& asked_;
  topic_result result_;
};

}  // namespace

topic_result measure_advice(const topic_request& asked) {
  return advice_bench(asked).run();
}

}  // namespace pinhole::measure
