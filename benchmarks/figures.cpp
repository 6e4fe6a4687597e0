// Computes figures from samples, and from nothing else.
#include "benchmarks/figures.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "scenarios/runner.hpp"

namespace pinhole::measure {

namespace {

double median_of(const std::string& name, const sample_sets& samples) {
  const auto* const found = samples.find(name);
  if (found == nullptr || found->empty()) {
    throw std::invalid_argument("there are no samples '" + name + "'");
  }
  return scenarios::median(*found);
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
  if (how.op == "ratio_of_medians") {
    return median_of(how.numerator, samples) / median_of(how.denominator, samples);
  }
  if (how.op == "median") {
    return median_of(how.numerator, samples);
  }
  throw std::invalid_argument("'" + how.op + "' is not an operation on samples");
}

json figure_json(const figure& one, const sample_sets& samples) {
  json how = {{"op", one.how.op}, {"numerator", one.how.numerator}};
  if (!one.how.denominator.empty()) {
    how["denominator"] = one.how.denominator;
  }
  return {{"name", one.name},
          {"unit", one.unit},
          {"value", evaluate(one.how, samples)},
          {"opponent", one.opponent},
          {"formula", std::move(how)}};
}

}  // namespace pinhole::measure
