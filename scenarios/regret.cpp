// Draws patterns, and judges choices by what was measured.
#include "scenarios/regret.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pinhole/core/units.hpp"
#include "scenarios/drawing.hpp"
#include "scenarios/runner.hpp"

namespace pinhole::scenarios {

namespace {

constexpr std::uint64_t word = sizeof(std::uint32_t);
constexpr double near_tie = 1.03;
constexpr double near_prediction = 0.3;
/// What a choice counts as that was left out of the measurement.
constexpr double hopeless = 20;

// ---- drawing ---------------------------------------------------------------------------------

class dice {
 public:
  dice(std::uint64_t seed, unsigned pattern) : key_(scramble(seed) ^ pattern) {}
  double uniform() {
    return static_cast<double>(scramble(key_ + scramble(++thrown_)) >> 11U) * 0x1p-53;
  }
  double log_uniform(double least, double most) {
    return least * std::pow(most / least, uniform());
  }
  unsigned below(unsigned count) {
    return std::min(count - 1, static_cast<unsigned>(uniform() * count));
  }

 private:
  std::uint64_t key_;
  std::uint64_t thrown_ = 0;
};

std::uint64_t whole_words(double bytes) {
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(bytes) / word) * word;
}

// ---- judging ---------------------------------------------------------------------------------

/// The median of the rounds that leave `rest` when divided by two, with the set-up.
double judged_us(const contender& one, std::size_t rest) {
  std::vector<double> half;
  for (std::size_t i = rest; i < one.samples_us.size(); i += 2) {
    half.push_back(one.samples_us[i]);
  }
  return median(std::move(half)) + one.setup_us;
}

double regret_of(const judged_pattern& of, placement chosen) {
  const auto& best = *std::ranges::min_element(
      of.contenders, {}, [](const contender& one) { return judged_us(one, 0); });
  const auto found = std::ranges::find(of.contenders, chosen, &contender::how);
  return found == of.contenders.end() ? hopeless : judged_us(*found, 1) / judged_us(best, 1);
}

double share_up_to(double limit, const std::vector<double>& values) {
  const auto count = std::ranges::count_if(values, [&](double one) { return one <= limit; });
  return static_cast<double>(count) / static_cast<double>(std::max<std::size_t>(1, values.size()));
}

using rule = std::function<placement(const judged_pattern&)>;

judgement judge(const std::string& name, const std::vector<judged_pattern>& patterns,
                const rule& choose) {
  judgement made;
  made.name = name;
  double logarithms = 0;
  for (const auto& one : patterns) {
    made.regrets.push_back(regret_of(one, choose(one)));
    logarithms += std::log(made.regrets.back());
  }
  const auto count = static_cast<double>(std::max<std::size_t>(1, patterns.size()));
  made.geomean = std::exp(logarithms / count);
  made.p95 = percentile(made.regrets, 0.95);
  made.worst = percentile(made.regrets, 1);
  made.best_share = share_up_to(near_tie, made.regrets);
  return made;
}

prediction_quality quality(const std::string& name, const std::vector<judged_pattern>& patterns) {
  prediction_quality made;
  made.name = name;
  for (const auto& one : patterns) {
    for (const auto& each : one.contenders) {
      if (name == "all" || name == to_string(each.how)) {
        const double measured = median(each.samples_us) + each.setup_us;
        made.errors.push_back(std::abs(each.predicted_us - measured) / measured);
      }
    }
  }
  made.median_error = made.errors.empty() ? 0 : median(made.errors);
  made.within_30_percent = share_up_to(near_prediction, made.errors);
  return made;
}

}  // namespace

access_pattern drawn_pattern(std::uint64_t seed, unsigned i, std::uint64_t most_bytes) {
  dice throw_of(seed, i);
  constexpr access_role roles[] = {access_role::writes, access_role::reads,
                                   access_role::reads_and_writes};
  access_pattern drawn;
  drawn.bytes = whole_words(throw_of.log_uniform(word, static_cast<double>(most_bytes)));
  constexpr double largest_unit = 65536;
  const auto most_unit = std::min(largest_unit, static_cast<double>(drawn.bytes));
  drawn.unit_bytes = whole_words(throw_of.log_uniform(word, most_unit));
  const std::uint64_t whole_units = drawn.bytes / drawn.unit_bytes;
  const auto units = static_cast<double>(whole_units);
  drawn.touched_units = static_cast<std::uint64_t>(
      std::clamp(std::round(units * throw_of.log_uniform(1e-6, 1)), 1., units));
  drawn.order = static_cast<access_order>(throw_of.below(3));
  drawn.host = roles[throw_of.below(3)];
  drawn.device = roles[throw_of.below(3)];
  drawn.reads_of_each_byte = std::round(throw_of.log_uniform(1, 64));
  drawn.calls = static_cast<std::uint64_t>(throw_of.log_uniform(1, 1e6));
  drawn.link = throw_of.below(2) == 1 ? link_traffic::busy : link_traffic::idle;
  return drawn;
}

regret_result judged(std::vector<judged_pattern> patterns) {
  regret_result result;
  constexpr std::uint64_t rule_bytes = 28_KiB;
  const std::pair<const char*, rule> choices[] = {
      {"advice", [](const judged_pattern& of) { return of.advised; }},
      {"always copy", [](const judged_pattern&) { return placement::staged; }},
      {"always zero-copy", [](const judged_pattern&) { return placement::mapped; }},
      {"copy above 28 KiB",
       [](const judged_pattern& of) {
         return of.pattern.bytes > rule_bytes ? placement::staged : placement::mapped;
       }},
  };
  for (const auto& [name, choose] : choices) {
    result.judgements.push_back(judge(name, patterns, choose));
  }
  result.predictions.push_back(quality("all", patterns));
  for (const auto how : all_placements()) {
    if (auto one = quality(std::string(to_string(how)), patterns); !one.errors.empty()) {
      result.predictions.push_back(std::move(one));
    }
  }
  result.patterns = std::move(patterns);
  return result;
}

std::vector<judged_pattern> advised_by(const machine_profile& profile,
                                       std::vector<judged_pattern> patterns) {
  for (auto& one : patterns) {
    const auto given = advise(one.pattern, profile);
    one.advised = given.placement;
    for (const auto& each : given.ranking()) {
      const auto found = std::ranges::find(one.contenders, each.how, &contender::how);
      if (found != one.contenders.end() && !each.overlaps) {
        found->predicted_us = each.us;
      }
    }
  }
  return patterns;
}

}  // namespace pinhole::scenarios
