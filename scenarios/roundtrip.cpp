// Small messages go to the device and a result comes back, again and again: how long does one take,
// and is it there before the next one is due?
#include <algorithm>
#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pinhole/core/units.hpp"
#include "pinhole/memory/any_buffer.hpp"
#include "pinhole/memory/copy.hpp"
#include "pinhole/memory/mapped_buffer.hpp"
#include "pinhole/memory/staged_buffer.hpp"
#include "scenarios/arms.hpp"
#include "scenarios/asked_number.hpp"
#include "scenarios/catalog.hpp"
#include "scenarios/crossover.hpp"
#include "scenarios/metronome.hpp"
#include "scenarios/sizes.hpp"
#include "scenarios/sum_words.hpp"

namespace pinhole::scenarios {

namespace {

constexpr std::size_t word = sizeof(std::uint32_t);
constexpr std::uint64_t usual_rate = 1000;
constexpr std::uint64_t most_rate = 1'000'000;

/// Messages of one size. The device's answer to one is the sum of its words.
struct exchange_job {
  word_pattern pattern;
  unsigned messages = 1;              ///< of one run
  std::optional<std::uint64_t> rate;  ///< empty: flat out

  [[nodiscard]] std::uint64_t bytes() const noexcept { return pattern.words * word; }
};

/// What word `i` of message number `message` is.
constexpr std::uint32_t word_of(std::uint32_t message, std::size_t i) noexcept {
  return message * 0x85EBCA6BU + static_cast<std::uint32_t>(i) * 0x9E3779B1U;
}

std::uint64_t plain_answer(std::uint32_t message, std::size_t words) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < words; ++i) {
    sum += word_of(message, i);
  }
  return sum;
}

// ---- arms ------------------------------------------------------------------------------------

/// Sends messages and takes the answers. Each message is timed from when it is due until its answer
/// is there: the host writes it where the arm wants it within that time, so that an arm whose
/// messages are written over the link pays for that too.
class correspondent : public arm {
 public:
  correspondent(std::string name, role stands_for, const exchange_job& job)
      : name_(std::move(name)), role_(stands_for), job_(job), beats_(job.rate) {
    answers_.resize(job.messages);
    times_us_.resize(job.messages);
  }

  [[nodiscard]] std::string name() const final { return name_; }
  [[nodiscard]] role stands_for() const final { return role_; }
  [[nodiscard]] traffic moved() const final {
    return {.to_device = job_.bytes(), .to_host = answer_bytes()};  // per message, as the times are
  }

  void prepare() final {
    std::ranges::fill(answers_, 0);
    first_ += job_.messages;
    beats_.restart();
  }

  void run() final {
    for (unsigned i = 0; i < job_.messages; ++i) {
      const auto due = beats_.next();
      write(message(), first_ + i);
      answers_[i] = ask();
      const std::chrono::duration<double, std::micro> took = metronome::clock::now() - due;
      times_us_[i] = took.count();
    }
  }

  [[nodiscard]] std::optional<std::string> check() final {
    for (unsigned i = 0; i < job_.messages; ++i) {
      const std::uint64_t expected = plain_answer(first_ + i, job_.pattern.words);
      if (answers_[i] != expected) {
        return "answer to message " + std::to_string(i) + ": expected " + std::to_string(expected) +
               ", got " + std::to_string(answers_[i]);
      }
    }
    return std::nullopt;
  }

  /// Called for runs that are measured, so that those before do not count as missed either.
  [[nodiscard]] std::optional<std::vector<double>> own_times_us() final {
    const std::chrono::duration<double, std::micro> period = beats_.period();
    measured_ += job_.messages;
    missed_ += static_cast<std::uint64_t>(
        std::ranges::count_if(times_us_, [&](double took) { return took > period.count(); }));
    return times_us_;
  }

  [[nodiscard]] std::vector<metric> metrics() const final {
    if (!job_.rate) {
      return {};
    }
    const auto share = static_cast<double>(missed_) / static_cast<double>(std::max(measured_, 1UL));
    return {{.name = "missed periods", .unit = "%", .value = 100 * share}};
  }

 protected:
  [[nodiscard]] virtual std::span<std::uint32_t> message() = 0;
  /// Brings the message to the device and its answer back.
  virtual std::uint64_t ask() = 0;
  [[nodiscard]] virtual std::uint64_t answer_bytes() const = 0;
  [[nodiscard]] const word_pattern& pattern() const noexcept { return job_.pattern; }

  static std::uint64_t total(std::span<const std::uint64_t> sums) {
    std::uint64_t result = 0;
    for (const std::uint64_t sum : sums) {
      result += sum;
    }
    return result;
  }

 private:
  static void write(std::span<std::uint32_t> words, std::uint32_t number) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = word_of(number, i);
    }
  }

  std::string name_;
  role role_;
  exchange_job job_;
  metronome beats_;
  std::uint32_t first_ = 0;  ///< number of the run's first message
  std::vector<std::uint64_t> answers_;
  std::vector<double> times_us_;
  std::uint64_t measured_ = 0;
  std::uint64_t missed_ = 0;
};

/// The article's way: blocking copies of pageable memory, before and after the kernel.
class copying_correspondent final : public correspondent {
 public:
  copying_correspondent(const device& where, const exchange_job& job)
      : correspondent("copy", role::naive_copy, job),
        where_(where),
        words_(where, job.pattern.words, {.host = host_memory::pageable}),
        sums_(where, blocks_for(where, job.pattern), {.host = host_memory::pageable}),
        work_(where) {}

 private:
  [[nodiscard]] std::span<std::uint32_t> message() override { return words_.host(); }
  [[nodiscard]] std::uint64_t answer_bytes() const override { return sums_.host().size_bytes(); }
  std::uint64_t ask() override {
    copy_to_device(where_, words_.device(), words_.host());
    sum_words(work_, words_.device(), pattern(), sums_.device());
    work_.before_copy();
    copy_to_host(where_, sums_.host(), sums_.device());
    return total(sums_.host());
  }

  device where_;
  staged_buffer<std::uint32_t> words_;
  staged_buffer<std::uint64_t> sums_;
  default_stream work_;
};

/// The message in any placement. Staged, it is the expert's copy: pinned, asynchronous, with one
/// wait, and an answer that the kernel writes straight into host memory.
class placed_correspondent final : public correspondent {
 public:
  placed_correspondent(const device& where, const exchange_job& job, placement how)
      : correspondent(how == placement::staged ? "expert copy" : std::string(to_string(how)),
                      how == placement::staged ? role::expert_copy : role::in_place, job),
        work_(where),
        words_(make_buffer<std::uint32_t>(where, job.pattern.words, how)),
        sums_(where, blocks_for(where, job.pattern)) {}

  [[nodiscard]] std::optional<placement> placed() const override { return words_.placed(); }

 private:
  [[nodiscard]] std::span<std::uint32_t> message() override { return words_.host(); }
  [[nodiscard]] std::uint64_t answer_bytes() const override { return sums_.host().size_bytes(); }
  std::uint64_t ask() override {
    words_.to_device(work_);
    sums_.to_device(work_);
    sum_words(work_, words_.device(), pattern(), sums_.device());
    sums_.to_host(work_);
    work_.wait(patience);  // the message was only read, so the host has it back as it was
    return total(sums_.host());
  }

  stream work_;  // outlives the buffers that are handed over on it
  any_buffer<std::uint32_t> words_;
  mapped_buffer<std::uint64_t> sums_;
};

// ---- trials ----------------------------------------------------------------------------------

constexpr std::string_view label_begins = "messages of ";

std::string label_of(std::uint64_t size, const std::optional<std::uint64_t>& rate) {
  return std::string(label_begins) + format_bytes(size) + ", " +
         (rate ? std::to_string(*rate) + " a second" : "flat out");
}

/// So many that a run lasts 10 ms, with --full 100 ms; two make a period.
unsigned messages_for(const settings& asked, const std::optional<std::uint64_t>& rate) {
  const unsigned most = asked.full ? 100 : 10;
  const std::uint64_t runs_a_second = asked.full ? 10 : 100;
  return rate ? static_cast<unsigned>(std::clamp<std::uint64_t>(*rate / runs_a_second, 2, most))
              : most;
}

std::unique_ptr<trial> make_trial(const settings& asked, std::uint64_t size,
                                  std::optional<std::uint64_t> rate) {
  auto made = std::make_unique<trial>();
  const auto placements = placements_anywhere(asked);
  const std::uint64_t fits =
      fit_to_budget(size, static_cast<unsigned>(placements.size() + 1), made->notes);
  const exchange_job job{.pattern = {.words = fits / word, .stride = 1},
                         .messages = messages_for(asked, rate),
                         .rate = rate};
  made->label = label_of(fits, rate);
  made->unit = "message";
  made->read_as = rate ? reading::time : reading::rate;
  // A paced run takes its time, whatever the arm; what it takes is mostly waiting.
  made->most_repeats = rate ? 10 : 1000;
  made->warm_up_runs = rate ? 1 : 2;
  if (rate) {
    made->notes.emplace_back(
        "times count from when a message is due; a period is missed when the answer is not there "
        "before the next one");
  }
  made->arms.push_back(std::make_unique<copying_correspondent>(asked.where, job));
  made->arms.push_back(std::make_unique<placed_correspondent>(asked.where, job, placement::staged));
  for (const placement how : placements) {
    made->arms.push_back(std::make_unique<placed_correspondent>(asked.where, job, how));
  }
  return made;
}

std::vector<std::uint64_t> usual_sizes(const settings& asked) {
  if (asked.full) {
    return {64, 512, 4_KiB, 32_KiB, 128_KiB, 512_KiB};
  }
  return {64, 8_KiB, 512_KiB};
}

class roundtrip_scenario final : public scenario {
 public:
  [[nodiscard]] std::string_view name() const override { return "roundtrip"; }
  [[nodiscard]] std::string_view summary() const override {
    return "messages of 64 B to 512 KiB go up and a result comes back, at a rate and flat out";
  }

  [[nodiscard]] std::vector<planned_trial> plan(const settings& asked) const override {
    const auto chosen = asked_size(asked, name(), word);
    const std::uint64_t rate = asked_number("--rate", asked.rate, usual_rate, 1, most_rate);
    (void)placements_anywhere(asked);
    const auto sizes = chosen ? std::vector{*chosen} : usual_sizes(asked);
    std::vector<planned_trial> trials;
    for (const std::uint64_t size : sizes) {
      for (const auto& pace : {std::optional<std::uint64_t>(), std::optional(rate)}) {
        // Between the ends the rate changes little.
        const bool is_end = size == sizes.front() || size == sizes.back();
        if (!pace || asked.full || is_end) {
          trials.push_back({label_of(size, pace), [=] { return make_trial(asked, size, pace); }});
        }
      }
    }
    return trials;
  }

  [[nodiscard]] std::vector<std::string> conclude(
      const std::vector<trial_result>& measured) const override {
    std::vector<contest> series;
    for (const auto& one : measured) {
      const auto fastest = [&](role wanted) {
        return best_us(one, [wanted](const arm_result& of) { return of.stands_for == wanted; });
      };
      const auto ours = fastest(role::in_place);
      const auto theirs = fastest(role::expert_copy);
      if (one.read_as == reading::rate && ours && theirs) {
        const auto size_at = label_begins.size();
        series.push_back(
            {one.label.substr(size_at, one.label.find(',') - size_at), *ours, *theirs});
      }
    }
    const auto sentence = who_wins(series, "in place", "the expert copy");
    return sentence.empty() ? std::vector<std::string>() : std::vector{"flat out: " + sentence};
  }
};

}  // namespace

const scenario& roundtrip() {
  static const roundtrip_scenario only;
  return only;
}

}  // namespace pinhole::scenarios
