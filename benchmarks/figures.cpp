// Computes figures from samples, and from nothing else.
#include "benchmarks/figures.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "scenarios/runner.hpp"

namespace pinhole::measure {

namespace {

const std::vector<double>& named(const std::string& name, const sample_sets& samples) {
  const auto* const found = samples.find(name);
  if (found == nullptr || found->empty()) {
    throw std::invalid_argument("there are no samples '" + name + "'");
  }
  return *found;
}

double geomean(const std::vector<double>& values) {
  double logarithms = 0;
  for (const double one : values) {
    logarithms += std::log(one);
  }
  return std::exp(logarithms / static_cast<double>(values.size()));
}

double share_up_to(double limit, const std::vector<double>& values) {
  const auto count = std::ranges::count_if(values, [&](double one) { return one <= limit; });
  return static_cast<double>(count) / static_cast<double>(values.size());
}

/// The smallest that at least 99 % of all are not above.
double p99(std::vector<double> values) {
  std::ranges::sort(values);
  return values[(values.size() * 99 + 99) / 100 - 1];
}

}  // namespace

void sample_sets::add(const std::string& name, const std::vector<double>& samples) {
  if (find(name) != nullptr) {
    throw std::invalid_argument("there are samples '" + name + "' already");
  }
  all_.emplace_back(name, samples);
  all_as_json_[name] = samples;
}

const std::vector<double>* sample_sets::find(const std::string& name) const {
  const auto found =
      std::ranges::find(all_, name, &std::pair<std::string, std::vector<double>>::first);
  return found == all_.end() ? nullptr : &found->second;
}

double evaluate(const formula& how, const sample_sets& samples) {
  const auto& numbers = named(how.numerator, samples);
  if (how.op == "ratio_of_medians") {
    return scenarios::median(numbers) / scenarios::median(named(how.denominator, samples));
  }
  if (how.op == "ratio_of_geomeans") {
    return geomean(numbers) / geomean(named(how.denominator, samples));
  }
  if (how.op == "difference_of_medians") {
    return scenarios::median(numbers) - scenarios::median(named(how.denominator, samples));
  }
  if (how.op == "ratio_of_p99") {
    return p99(numbers) / p99(named(how.denominator, samples));
  }
  if (how.op == "median") {
    return scenarios::median(numbers);
  }
  if (how.op == "geomean") {
    return geomean(numbers);
  }
  if (how.op == "largest") {
    return std::ranges::max(numbers);
  }
  if (how.op == "share_up_to") {
    return share_up_to(how.limit, numbers);
  }
  throw std::invalid_argument("'" + how.op + "' is not an operation on samples");
}

json figure_json(const figure& one, const sample_sets& samples) {
  json how = {{"op", one.how.op}, {"numerator", one.how.numerator}};
  if (!one.how.denominator.empty()) {
    how["denominator"] = one.how.denominator;
  }
  if (one.how.op == "share_up_to") {
    how["limit"] = one.how.limit;
  }
  return {{"name", one.name},
          {"unit", one.unit},
          {"value", evaluate(one.how, samples)},
          {"opponent", one.opponent},
          {"formula", std::move(how)}};
}

}  // namespace pinhole::measure
