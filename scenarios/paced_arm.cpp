// The loop over requests, and what is told of it.
#include "scenarios/paced_arm.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace pinhole::scenarios {

pace pace::of(const settings& asked, std::optional<std::uint64_t> rate) {
  const std::uint64_t most = asked.full ? 10'000 : 100;
  const std::uint64_t runs_a_second = asked.full ? 10 : 100;
  return {.requests =
              static_cast<unsigned>(rate ? std::clamp<std::uint64_t>(*rate / runs_a_second, 2, most)
                                    : asked.full ? 100
                                                 : 10),
          .rate = rate};
}

paced_arm::paced_arm(std::string name, role stands_for, const pace& how)
    : name_(std::move(name)), role_(stands_for), pace_(how), beats_(how.rate) {
  answers_.resize(how.requests);
  times_us_.resize(how.in_flight == 1 ? how.requests : 1);
}

void paced_arm::prepare() {
  std::ranges::fill(answers_, 0);
  first_ += pace_.requests;
  begin();
  beats_.restart();
}

void paced_arm::run() {
  if (pace_.in_flight == 1) {
    run_one_by_one();
  } else {
    run_in_flight();
  }
  end();
}

void paced_arm::run_one_by_one() {
  for (unsigned i = 0; i < pace_.requests; ++i) {
    const auto due = beats_.next();
    answers_[i] = answer(first_ + i);
    const std::chrono::duration<double, std::micro> took = metronome::clock::now() - due;
    times_us_[i] = took.count();
  }
}

void paced_arm::run_in_flight() {
  const auto start = metronome::clock::now();
  answer_all(first_, answers_);
  const std::chrono::duration<double, std::micro> took = metronome::clock::now() - start;
  times_us_[0] = took.count() / pace_.requests;
}

void paced_arm::answer_all(std::uint32_t first, std::span<std::uint64_t> answers) {
  for (std::uint64_t& one : answers) {
    one = answer(first++);
  }
}

std::optional<std::string> paced_arm::check() {
  for (unsigned i = 0; i < pace_.requests; ++i) {
    const std::uint64_t right = expected(first_ + i);
    if (answers_[i] != right) {
      return "answer to message " + std::to_string(i) + ": expected " + std::to_string(right) +
             ", got " + std::to_string(answers_[i]);
    }
  }
  return std::nullopt;
}

std::optional<std::vector<double>> paced_arm::own_times_us() {
  const std::chrono::duration<double, std::micro> period = beats_.period();
  measured_ += pace_.requests;
  missed_ += static_cast<std::uint64_t>(
      std::ranges::count_if(times_us_, [&](double took) { return took > period.count(); }));
  return times_us_;
}

std::vector<metric> paced_arm::metrics() const {
  if (!pace_.rate) {
    return {};
  }
  const auto share = static_cast<double>(missed_) / static_cast<double>(std::max(measured_, 1UL));
  return {{.name = "missed periods", .unit = "%", .value = 100 * share}};
}

void set_pace(trial& made, const pace& how) {
  made.read_as = how.rate ? reading::time : reading::rate;
  constexpr unsigned many = 1000;
  made.most_repeats = !how.rate ? 1000 : how.requests > many ? 3 : 10;
  made.warm_up_runs = how.rate ? 1 : 2;
  if (how.rate) {
    made.notes.emplace_back(
        "times count from when a message is due; a period is missed when the answer is not there "
        "before the next one");
  }
}

}  // namespace pinhole::scenarios
