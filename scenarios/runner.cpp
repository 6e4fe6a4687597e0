// Measures arms so that they can be compared: in one run, in turns, and only when they are right.
#include "scenarios/runner.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <utility>

namespace pinhole::scenarios {

namespace {

using clock = std::chrono::steady_clock;

constexpr unsigned least_rounds = 5;
constexpr unsigned most_rounds = 1000;

double seconds_since(clock::time_point start) {
  return std::chrono::duration<double>(clock::now() - start).count();
}

/// What the arm's last run gave is right, or it is a pitfall.
void require_right(std::string_view scenario_name, const trial& what, arm& one) {
  if (one.stands_for() == role::pitfall) {
    return;
  }
  if (const auto difference = one.check()) {
    throw wrong_result(std::string(scenario_name) + "/" + what.label + "/" + one.name() + ": " +
                       *difference);
  }
}

void verify(std::string_view scenario_name, const trial& what, arm& one) {
  if (one.stands_for() != role::pitfall) {
    one.prepare();
    one.run();
    require_right(scenario_name, what, one);
  }
}

void run_unmeasured(arm& one, unsigned times) {
  for (unsigned i = 0; i < times; ++i) {
    one.prepare();
    one.run();
  }
}

void measure_once(arm& one, std::vector<double>& samples_us) {
  one.prepare();
  const auto start = clock::now();
  one.run();
  const auto took = clock::now() - start;
  if (const auto own = one.own_times_us()) {
    samples_us.insert(samples_us.end(), own->begin(), own->end());
  } else {
    samples_us.push_back(std::chrono::duration<double, std::micro>(took).count());
  }
}

/// When a trial has been measured enough, and how far it is.
class pace {
 public:
  pace(const run_options& options, unsigned most)
      : fixed_(options.repeat.has_value()),
        rounds_(std::max(1U, std::min(options.repeat.value_or(most_rounds), most))),
        seconds_(options.seconds) {}

  [[nodiscard]] bool over(unsigned round) const {
    return round >= rounds_ ||
           (!fixed_ && round >= least_rounds && seconds_since(start_) > seconds_);
  }
  [[nodiscard]] double done(double rounds) const {
    const double by_rounds = rounds / rounds_;
    return std::min(1.0,
                    fixed_ ? by_rounds : std::max(by_rounds, seconds_since(start_) / seconds_));
  }

 private:
  bool fixed_;
  unsigned rounds_;
  double seconds_;
  clock::time_point start_ = clock::now();
};

/// In turns, and each round starts with another arm, so that no arm always follows the same one.
void measure(std::string_view scenario_name, trial& what, const run_options& options,
             std::vector<arm_result>& results) {
  const std::size_t count = what.arms.size();
  const pace until(options, what.most_repeats);
  for (unsigned round = 0; !until.over(round); ++round) {
    for (std::size_t turn = 0; turn < count; ++turn) {
      const std::size_t next = (turn + round) % count;
      run_unmeasured(*what.arms[next], what.unmeasured_runs);
      measure_once(*what.arms[next], results[next].samples_us);
      if (what.checks_each_run) {
        require_right(scenario_name, what, *what.arms[next]);
      }
      if (options.progress) {
        options.progress(
            until.done(round + static_cast<double>(turn + 1) / static_cast<double>(count)));
      }
    }
  }
}

const arm_result* fastest(const std::vector<arm_result>& arms, role wanted) {
  const arm_result* best = nullptr;
  for (const auto& one : arms) {
    if (one.stands_for == wanted && (best == nullptr || one.median_us < best->median_us)) {
      best = &one;
    }
  }
  return best;
}

/// Empty when the clock was too coarse to see one of the two.
std::optional<double> ratio(const arm_result* opponent, const arm_result& one) {
  if (opponent == nullptr || one.stands_for == role::pitfall || one.median_us <= 0 ||
      opponent->median_us <= 0) {
    return std::nullopt;
  }
  return opponent->median_us / one.median_us;
}

void summarise(trial& what, trial_result& result) {
  for (std::size_t i = 0; i < what.arms.size(); ++i) {
    auto& into = result.arms[i];
    into.median_us = median(into.samples_us);
    into.p99_us = percentile(into.samples_us, 0.99);
    into.moved = what.arms[i]->moved();
    into.metrics = what.arms[i]->metrics();
  }
  const auto* naive = fastest(result.arms, role::naive_copy);
  const auto* expert = fastest(result.arms, role::expert_copy);
  result.naive_opponent = naive != nullptr ? naive->name : "";
  result.expert_opponent = expert != nullptr ? expert->name : "";
  for (auto& one : result.arms) {
    one.vs_naive = ratio(naive, one);
    one.vs_expert = ratio(expert, one);
  }
}

trial_result described(std::string_view scenario_name, const trial& what) {
  trial_result result;
  result.scenario = scenario_name;
  result.label = what.label;
  result.units = what.units;
  result.unit = what.unit;
  result.read_as = what.read_as;
  for (const auto& one : what.arms) {
    auto& into = result.arms.emplace_back();
    into.name = one->name();
    into.stands_for = one->stands_for();
    into.placed = one->placed();
  }
  return result;
}

}  // namespace

trial_result run(std::string_view scenario_name, trial& what, const run_options& options) {
  trial_result result = described(scenario_name, what);
  for (const auto& one : what.arms) {
    if (!what.checks_each_run) {
      verify(scenario_name, what, *one);
      run_unmeasured(*one, what.warm_up_runs);
    }
    if (options.progress) {
      options.progress(0);
    }
  }
  measure(scenario_name, what, options, result.arms);
  summarise(what, result);
  for (const auto& one : what.arms) {
    if (!what.checks_each_run) {
      verify(scenario_name, what, *one);
    }
  }
  if (what.finish) {
    what.finish();
  }
  // Arms may add notes while they run.
  result.notes = what.notes;
  return result;
}

double median(std::vector<double> values) {
  if (values.empty()) {
    return 0;
  }
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double percentile(std::vector<double> values, double share) {
  if (values.empty()) {
    return 0;
  }
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::clamp<std::size_t>(rank, 1, values.size()) - 1];
}

}  // namespace pinhole::scenarios
