// The topic `compare`: runs every scenario and takes its figures from the arms' samples.
#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/topics.hpp"
#include "scenarios/runner.hpp"

namespace pinhole::measure {

namespace {

// The fastest of the trial's naive copies, or of its expert copies.
constexpr std::string_view naive = "(naive)";
constexpr std::string_view expert = "(expert)";

/// A figure as the ratio of two arms of one trial: how many times faster `faster` is than `slower`.
struct arm_ratio {
  std::string_view name;
  std::string_view scenario;
  std::string_view label_part;  ///< what tells the trial from the scenario's others
  std::string_view slower;
  std::string_view faster;
  std::string_view opponent;
};

constexpr arm_ratio ratios[] = {
    {"transfer_mapped_read_of_sm_peak", "transfer", "256 MiB, every element", "bare kernel",
     "mapped",
     "a bare hand-written kernel with 16-byte loads over cudaHostAlloc memory, same run, 256 MiB"},
    {"flag_mapped_vs_copy", "flag", "", "copy", "mapped",
     "the article's loop with two cudaMemcpy a turn"},
    {"table_in_place_vs_naive", "table", "1 GiB", naive, "mapped",
     "1 GiB copied both ways, 16 positions updated"},
    {"table_in_place_vs_expert", "table", "1 GiB", expert, "mapped",
     "compact list on the device, copied, one synchronise"},
    {"text_in_place_vs_naive", "text", "2 MiB", naive, "mapped", "2 MB copied up and back"},
    {"pixels_in_place_vs_naive", "pixels", "1920x1080", naive, "mapped",
     "1920x1080 RGBA copied back"},
    {"matrix_in_place_vs_naive", "matrix", "8192x8192", naive, "mapped",
     "8192x8192 float result copied back"},
    {"video_mapped_vs_classic_p50", "video", "60 fps", naive, "mapped",
     "camera memory to pinned to device, kernel, result back"},
    {"view_cost", "transfer", "cost of a view", "bare pointer", "view",
     "the same kernel over bare pointers"},
};

constexpr double seconds_a_trial = 1;

std::string samples_name(const scenarios::trial_result& trial, std::string_view arm) {
  return trial.scenario + "/" + trial.label + "/" + std::string(arm);
}

std::string arm_name(const scenarios::trial_result& trial, std::string_view wanted) {
  return wanted == naive    ? trial.naive_opponent
         : wanted == expert ? trial.expert_opponent
                            : std::string(wanted);
}

/// The trial as `pinhole compare --json` writes it, with each arm's samples replaced by their name.
json keep(const scenarios::trial_result& trial, sample_sets& samples) {
  json written = tool::trial_json(trial);
  for (std::size_t i = 0; i < trial.arms.size(); ++i) {
    const std::string name = samples_name(trial, trial.arms[i].name);
    samples.add(name, trial.arms[i].samples_us);
    json& arm = written["arms"][i];
    arm.erase("samples_us");
    arm["samples"] = name;
  }
  return written;
}

std::vector<scenarios::trial_result> run_scenario(const scenarios::scenario& one,
                                                  const topic_request& asked, double done_before,
                                                  double share) {
  const auto planned = one.plan({.where = asked.where,
                                 .placements = {},
                                 .size = {},
                                 .full = asked.full,
                                 .text_file = {},
                                 .words_file = {}});
  std::vector<scenarios::trial_result> results;
  for (const auto& next : planned) {
    const auto progress = [&](double done) {
      const double trials_done = static_cast<double>(results.size()) + done;
      asked.progress(std::string(one.name()) + ": " + next.label,
                     done_before + share * trials_done / static_cast<double>(planned.size()));
    };
    const auto made = next.make();
    made->most_repeats = std::min(made->most_repeats, asked.most_repeats);
    results.push_back(scenarios::run(
        one.name(), *made, {.repeat = {}, .seconds = seconds_a_trial, .progress = progress}));
  }
  return results;
}

/// Fills in the figure, or says which trial or arm is not there.
void conclude(const arm_ratio& wanted, const std::vector<scenarios::trial_result>& trials,
              topic_result& into) {
  const auto trial = std::ranges::find_if(trials, [&](const auto& one) {
    return one.scenario == wanted.scenario &&
           one.label.find(wanted.label_part) != std::string::npos;
  });
  if (trial == trials.end()) {
    into.missing.push_back(std::string(wanted.name) + ": no trial '" +
                           std::string(wanted.label_part) + "'");
    return;
  }
  try {
    into.figures.push_back(
        figure_json({.name = std::string(wanted.name),
                     .unit = "ratio",
                     .opponent = std::string(wanted.opponent),
                     .how = {.op = "ratio_of_medians",
                             .numerator = samples_name(*trial, arm_name(*trial, wanted.slower)),
                             .denominator = samples_name(*trial, wanted.faster)}},
                    into.samples));
  } catch (const std::invalid_argument& absent) {
    into.missing.push_back(std::string(wanted.name) + ": " + absent.what());
  }
}

}  // namespace

topic_result measure_compare(const topic_request& asked) {
  topic_result result;
  json& written = result.details["trials"] = json::array();
  json conclusions = json::object();
  std::vector<scenarios::trial_result> trials;
  const auto& scenarios = scenarios::all();
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    const double share = 1.0 / static_cast<double>(scenarios.size());
    auto measured = run_scenario(*scenarios[i], asked, static_cast<double>(i) * share, share);
    conclusions[std::string(scenarios[i]->name())] = scenarios[i]->conclude(measured);
    for (auto& trial : measured) {
      written.push_back(keep(trial, result.samples));
      trials.push_back(std::move(trial));
    }
  }
  result.details["conclusions"] = std::move(conclusions);
  for (const auto& wanted : ratios) {
    conclude(wanted, trials, result);
  }
  return result;
}

}  // namespace pinhole::measure
