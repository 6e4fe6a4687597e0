// Measures every placement for patterns that are drawn.
#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "advice/cost_model.hpp"
#include "advice/other_traffic.hpp"
#include "advice/pattern_work.hpp"
#include "pinhole/core/error.hpp"
#include "pinhole/core/units.hpp"
#include "pinhole/memory/any_buffer.hpp"
#include "pinhole/memory/pin_budget.hpp"
#include "scenarios/regret.hpp"
#include "scenarios/runner.hpp"

namespace pinhole::scenarios {

namespace {

using clock = std::chrono::steady_clock;
using words_buffer = any_buffer<std::uint32_t>;

constexpr std::uint64_t word = sizeof(std::uint32_t);
constexpr unsigned least_rounds = 4;
/// Patterns of more runs are drawn anew: the CPU would need seconds to prepare them.
constexpr double most_runs = 1U << 25U;
/// What is predicted to be slower than this and many times slower than the best is not measured.
constexpr double hopeless_us = 5e4;
constexpr double hopeless_ruled_us = 1e6;
constexpr double hopeless = 20;
constexpr std::chrono::seconds patience{120};

template <class Work>
double us_of(Work&& work) {
  const auto start = clock::now();
  work();
  return std::chrono::duration<double, std::micro>(clock::now() - start).count();
}

/// Buffers of the largest size, one a placement: making one of gigabytes for every pattern would
/// take longer than all that is measured in it.
class large_buffers {
 public:
  large_buffers(const device& where, std::uint64_t most_bytes)
      : where_(where), most_bytes_(most_bytes) {}

  struct lent {
    words_buffer* words;
    double made_us;  ///< what making and destroying one of the size that was asked for takes
  };
  lent lend(placement how, std::uint64_t bytes) {
    auto found = kept_.find(how);
    if (found == kept_.end()) {
      found = kept_.emplace(how, make(how)).first;
    }
    return {found->second.words.get(), between(found->second.costs, bytes)};
  }

 private:
  struct cost {
    std::uint64_t bytes;
    double us;
  };
  struct kept {
    std::unique_ptr<words_buffer> words;
    std::vector<cost> costs;  ///< the smallest first
  };

  [[nodiscard]] std::unique_ptr<words_buffer> made(placement how, std::uint64_t bytes) const {
    return std::make_unique<words_buffer>(make_buffer<std::uint32_t>(where_, bytes / word, how));
  }

  [[nodiscard]] kept make(placement how) const {
    kept all;
    for (std::uint64_t bytes = largest_of_its_own; all.words == nullptr; bytes *= 2) {
      const std::uint64_t size = std::min(bytes, most_bytes_);
      all.costs.push_back({size, us_of([&] { (void)made(how, size); })});
      if (size == most_bytes_) {
        all.words = made(how, size);
      }
    }
    return all;
  }

  /// In a straight line between the two sizes around it.
  static double between(const std::vector<cost>& costs, std::uint64_t bytes) {
    const auto above =
        std::ranges::find_if(costs, [&](const cost& one) { return one.bytes >= bytes; });
    if (above == costs.begin()) {
      return above->us;
    }
    const auto& below = *(above - 1);
    return below.us + (above->us - below.us) * static_cast<double>(bytes - below.bytes) /
                          static_cast<double>(above->bytes - below.bytes);
  }

  device where_;
  std::uint64_t most_bytes_;
  std::map<placement, kept> kept_;
};

/// A placement with its buffer, ready for calls.
struct trial {
  std::unique_ptr<words_buffer> own;  ///< empty where a large buffer is lent
  std::unique_ptr<advice::pattern_work> work;
  double expected_us = 0;
};

class measurement {
 public:
  measurement(const device& where, const machine_profile& profile, const regret_options& options,
              std::uint64_t most_bytes)
      : where_(where),
        profile_(profile),
        options_(options),
        work_(where),
        others_(where),
        large_(where, most_bytes) {}

  /// Empty for a pattern whose calls would take too long.
  std::optional<judged_pattern> measure(const access_pattern& pattern) {
    const auto given = advise(pattern, profile_);
    if (given.best().us > options_.longest_call_seconds * 1e6 ||
        advice::shape_of(pattern).runs > most_runs) {
      return std::nullopt;
    }
    judged_pattern judged{.pattern = pattern, .advised = given.placement, .contenders = {}};
    std::vector<trial> trials;
    for (const auto& one : given.ranking()) {
      if (is_measured(one, given.best())) {
        trials.push_back(make(pattern, one, judged));
      }
    }
    const auto start = clock::now();
    for (unsigned round = 0; !is_over(round, start); ++round) {
      for (std::size_t turn = 0; turn < trials.size(); ++turn) {
        const std::size_t next = (turn + round) % trials.size();
        judged.contenders[next].samples_us.push_back(time(pattern, trials[next]));
      }
    }
    for (std::size_t i = 0; i < trials.size(); ++i) {
      trials[i].work.reset();
      judged.contenders[i].setup_us += us_of([&] { trials[i].own.reset(); });
      judged.contenders[i].setup_us /= static_cast<double>(pattern.calls);
    }
    return judged;
  }

 private:
  /// The rules choose between staged and mapped, so those are, unless they take far too long.
  static bool is_measured(const forecast& one, const forecast& best) {
    const bool is_ruled = one.how == placement::staged || one.how == placement::mapped;
    const bool is_hopeless =
        one.us > best.us * hopeless && one.us > (is_ruled ? hopeless_ruled_us : hopeless_us);
    return one.problem == obstacle::none && !one.overlaps && !is_hopeless;
  }

  [[nodiscard]] bool is_over(unsigned round, clock::time_point start) const {
    const std::chrono::duration<double> spent = clock::now() - start;
    return round >= options_.most_rounds ||
           (round >= least_rounds && round % 2 == 0 && spent.count() > options_.seconds_of_pattern);
  }

  /// Makes the buffer, timed, and lets the work show that it is right.
  trial make(const access_pattern& pattern, const forecast& one, judged_pattern& into) {
    // The traffic outlasts the call's own work: a copy that waits for all of it would never end
    // were the traffic longer for that.
    const double expected_us = one.us - one.terms.copy_queue - one.terms.setup;
    trial made{.own = nullptr, .work = nullptr, .expected_us = expected_us};
    contender listed{.how = one.how, .predicted_us = one.us, .setup_us = 0, .samples_us = {}};
    words_buffer* words = nullptr;
    if (pattern.bytes > largest_of_its_own) {
      const auto lent = large_.lend(one.how, pattern.bytes);
      words = lent.words;
      listed.setup_us = lent.made_us;
    } else {
      listed.setup_us = us_of([&] {
        made.own = std::make_unique<words_buffer>(
            make_buffer<std::uint32_t>(where_, pattern.bytes / word, one.how));
      });
      words = made.own.get();
    }
    listed.setup_us += us_of([&] { fill(pattern, *words); });
    made.work =
        std::make_unique<advice::pattern_work>(work_, *words, pattern, one.copies_runs, key_++);
    for (int i = 0; i < 2; ++i) {
      made.work->prepare();
      made.work->call();
    }
    if (const auto wrong = made.work->check()) {
      throw wrong_result("regret/" + format_bytes(pattern.bytes) + "/" +
                         std::string(to_string(one.how)) + ": " + *wrong);
    }
    into.contenders.push_back(std::move(listed));
    return made;
  }

  /// What a buffer that the host does not write in each call holds at first.
  void fill(const access_pattern& pattern, words_buffer& words) {
    if (does_write(pattern.host) || !does_read(pattern.device)) {
      return;
    }
    const std::size_t size = pattern.bytes / word;
    if (words.placed() == placement::staged) {
      words.to_device(work_, 0, size);
      work_.wait(patience);
    } else if (words.placed() == placement::vram) {
      constexpr std::size_t words_at_once = 16384;
      const std::vector<std::uint32_t> some(std::min(size, words_at_once));
      for (std::size_t first = 0; first < size; first += some.size()) {
        words.write(first, std::span(some).first(std::min(some.size(), size - first)));
      }
    }
  }

  double time(const access_pattern& pattern, trial& one) {
    const bool is_busy = pattern.link == link_traffic::busy;
    one.work->prepare();
    if (is_busy) {
      // Longer than the call takes even when it was foreseen badly.
      others_.begin(2 * one.expected_us + 1000, profile_.to_device.gb_per_s.value);
    }
    const double us = us_of([&] { one.work->call(); });
    if (is_busy) {
      others_.end();
    }
    return us;
  }

  device where_;
  const machine_profile& profile_;
  const regret_options& options_;
  stream work_;
  advice::other_traffic others_;
  large_buffers large_;
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

}  // namespace

regret_result measure_regret(const device& where, const machine_profile& profile,
                             const regret_options& options) {
  if (const auto other = what_changed(profile.machine, identity_of(where)); !other.empty()) {
    detail::reject("measure regret on " + where.id(),
                   "the profile is of another machine: " + other + "; calibrate this one");
  }
  const std::uint64_t most = options.most_bytes != 0 ? options.most_bytes : usual_most_bytes(where);
  measurement all(where, profile, options, most);
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
