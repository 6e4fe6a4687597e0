// Draws patterns, measures every placement for each, and judges.
#include "scenarios/regret.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "advice/pattern_work.hpp"
#include "pinhole/core/error.hpp"
#include "pinhole/core/units.hpp"
#include "pinhole/memory/any_buffer.hpp"
#include "pinhole/memory/pin_budget.hpp"
#include "pinhole/memory/staged_buffer.hpp"
#include "scenarios/drawing.hpp"
#include "scenarios/runner.hpp"

namespace pinhole::scenarios {

namespace {

using clock = std::chrono::steady_clock;

constexpr std::uint64_t word = sizeof(std::uint32_t);
constexpr unsigned least_rounds = 4;
constexpr unsigned most_rounds = 40;
constexpr double near_tie = 1.03;
/// Calls of more than this are drawn anew: one such pattern would take minutes.
constexpr double longest_call_us = 1e6;
/// What is predicted to be slower than this and many times slower than the best is not measured.
constexpr double hopeless_us = 5e4;
constexpr double hopeless = 20;
constexpr std::chrono::seconds patience{120};

double us_since(clock::time_point start) {
  return std::chrono::duration<double, std::micro>(clock::now() - start).count();
}

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

// ---- measuring -------------------------------------------------------------------------------

/// Copies that keep the link busy while a call is timed.
class traffic {
 public:
  explicit traffic(const device& where)
      : bytes_(where.kind() == device_kind::cpu ? 256_KiB : 16_MiB),
        work_(where),
        buffer_(where, bytes_) {}
  void begin() {
    work_.wait(patience);
    constexpr unsigned copies = 32;
    for (unsigned i = 0; i < copies; ++i) {
      buffer_.to_device(work_);
    }
  }
  void end() { work_.wait(patience); }

 private:
  std::uint64_t bytes_;
  stream work_;
  staged_buffer<std::byte> buffer_;
};

/// A placement with its buffer, ready for calls.
struct runner_of {
  std::unique_ptr<any_buffer<std::uint32_t>> words;
  std::unique_ptr<advice::pattern_work> work;
};

class measurement {
 public:
  measurement(const device& where, const machine_profile& profile, const regret_options& options)
      : where_(where), profile_(profile), options_(options), work_(where), others_(where) {}

  /// Empty for a pattern whose calls would take too long.
  std::optional<judged_pattern> measure(const access_pattern& pattern) {
    const auto given = advise(pattern, profile_);
    if (given.best().us > longest_call_us) {
      return std::nullopt;
    }
    judged_pattern judged{.pattern = pattern, .advised = given.placement, .contenders = {}};
    std::vector<runner_of> runners;
    for (const auto& one : given.ranking()) {
      if (is_measured(one, given.best())) {
        runners.push_back(make(pattern, one, judged));
      }
    }
    const auto start = clock::now();
    for (unsigned round = 0; !is_over(round, start); ++round) {
      for (std::size_t turn = 0; turn < runners.size(); ++turn) {
        const std::size_t next = (turn + round) % runners.size();
        judged.contenders[next].samples_us.push_back(time(pattern, *runners[next].work));
      }
    }
    return judged;
  }

 private:
  /// The rules choose between staged and mapped, so those are, whatever they take.
  static bool is_measured(const forecast& one, const forecast& best) {
    const bool is_ruled = one.how == placement::staged || one.how == placement::mapped;
    const bool is_hopeless = one.us > hopeless_us && one.us > best.us * hopeless;
    return one.problem == obstacle::none && !one.overlaps && (is_ruled || !is_hopeless);
  }

  [[nodiscard]] bool is_over(unsigned round, clock::time_point start) const {
    const bool is_long = us_since(start) > options_.seconds_of_pattern * 1e6;
    return round >= most_rounds || (round >= least_rounds && round % 2 == 0 && is_long);
  }

  /// Makes the buffer, timed, and lets the work show that it is right.
  runner_of make(const access_pattern& pattern, const forecast& one, judged_pattern& into) {
    runner_of made;
    const auto start = clock::now();
    made.words = std::make_unique<any_buffer<std::uint32_t>>(
        make_buffer<std::uint32_t>(where_, pattern.bytes / word, one.how));
    fill(pattern, *made.words);
    const double setup_us = us_since(start);
    made.work = std::make_unique<advice::pattern_work>(work_, *made.words, pattern, one.copies_runs,
                                                       key_++);
    for (int i = 0; i < 2; ++i) {
      made.work->prepare();
      made.work->call();
    }
    if (const auto wrong = made.work->check()) {
      throw wrong_result("regret/" + format_bytes(pattern.bytes) + "/" +
                         std::string(to_string(one.how)) + ": " + *wrong);
    }
    into.contenders.push_back({.how = one.how,
                               .predicted_us = one.us,
                               .setup_us = setup_us / static_cast<double>(pattern.calls),
                               .samples_us = {}});
    return made;
  }

  /// What a buffer that the host does not write in each call holds at first.
  void fill(const access_pattern& pattern, any_buffer<std::uint32_t>& words) {
    if (does_write(pattern.host) || !does_read(pattern.device)) {
      return;
    }
    if (words.placed() == placement::staged) {
      words.to_device(work_);
      work_.wait(patience);
    } else if (words.placed() == placement::vram) {
      const std::vector<std::uint32_t> some(std::min<std::size_t>(words.size(), 16384));
      for (std::size_t first = 0; first < words.size(); first += some.size()) {
        words.write(first, std::span(some).first(std::min(some.size(), words.size() - first)));
      }
    }
  }

  double time(const access_pattern& pattern, advice::pattern_work& work) {
    const bool is_busy = pattern.link == link_traffic::busy;
    work.prepare();
    if (is_busy) {
      others_.begin();
    }
    const auto start = clock::now();
    work.call();
    const double us = us_since(start);
    if (is_busy) {
      others_.end();
    }
    return us;
  }

  device where_;
  const machine_profile& profile_;
  const regret_options& options_;
  stream work_;
  traffic others_;
  std::uint32_t key_ = 1;
};

std::uint64_t usual_most_bytes(const device& where) {
  const auto& budget = pin_budget::process();
  const std::uint64_t limit = budget.limit();
  // Every placement's buffer exists at once.
  const std::uint64_t left = (limit - std::min(limit, budget.in_use())) / 6;
  return std::clamp<std::uint64_t>(where.kind() == device_kind::cpu ? 4_MiB : 4_GiB, 4_KiB,
                                   std::max<std::uint64_t>(left, 4_KiB));
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

const contender& named(const judged_pattern& of, placement how) {
  const auto found = std::ranges::find(of.contenders, how, &contender::how);
  return found != of.contenders.end() ? *found : of.contenders.front();
}

const contender& best_of(const judged_pattern& of) {
  return *std::ranges::min_element(of.contenders, {},
                                   [](const contender& one) { return judged_us(one, 0); });
}

using rule = std::function<placement(const judged_pattern&)>;

judgement judge(const std::string& name, const std::vector<judged_pattern>& patterns,
                const rule& choose) {
  std::vector<double> regrets;
  double logarithms = 0;
  for (const auto& one : patterns) {
    const double regret = judged_us(named(one, choose(one)), 1) / judged_us(best_of(one), 1);
    regrets.push_back(regret);
    logarithms += std::log(regret);
  }
  const auto count = static_cast<double>(std::max<std::size_t>(1, regrets.size()));
  const auto good = std::ranges::count_if(regrets, [](double of) { return of <= near_tie; });
  return {.name = name,
          .geomean = std::exp(logarithms / count),
          .p95 = percentile(regrets, 0.95),
          .worst = percentile(regrets, 1),
          .best_share = static_cast<double>(good) / count};
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
  std::vector<double> errors;
  for (const auto& one : patterns) {
    for (const auto& each : one.contenders) {
      const double measured = median(each.samples_us) + each.setup_us;
      errors.push_back(std::abs(each.predicted_us - measured) / measured);
    }
  }
  result.median_error = median(errors);
  const auto near = std::ranges::count_if(errors, [](double of) { return of <= 0.3; });
  result.within_30_percent =
      static_cast<double>(near) / static_cast<double>(std::max<std::size_t>(1, errors.size()));
  result.patterns = std::move(patterns);
  return result;
}

regret_result measure_regret(const device& where, const machine_profile& profile,
                             const regret_options& options) {
  if (const auto other = what_changed(profile.machine, identity_of(where)); !other.empty()) {
    detail::reject("measure regret on " + where.id(),
                   "the profile is of another machine: " + other + "; calibrate this one");
  }
  const std::uint64_t most = options.most_bytes != 0 ? options.most_bytes : usual_most_bytes(where);
  measurement all(where, profile, options);
  std::vector<judged_pattern> patterns;
  for (unsigned i = 0; patterns.size() < options.patterns; ++i) {
    if (options.progress) {
      options.progress(static_cast<double>(patterns.size()) / options.patterns);
    }
    if (auto one = all.measure(drawn_pattern(options.seed, i, most))) {
      patterns.push_back(std::move(*one));
    }
  }
  return judged(std::move(patterns));
}

}  // namespace pinhole::scenarios
