// Small messages go to the device and a result comes back, again and again: how long does one take,
// and is it there before the next one is due?
#include <cstdint>
#include <memory>
#include <optional>
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
#include "scenarios/paced_arm.hpp"
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
  pace how;

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

/// Sends messages and takes the answers. The host writes each message where the arm wants it within
/// its time, so that an arm whose messages are written over the link pays for that too.
class correspondent : public paced_arm {
 public:
  correspondent(std::string name, role stands_for, const exchange_job& job)
      : paced_arm(std::move(name), stands_for, job.how), job_(job) {}

  [[nodiscard]] traffic moved() const final {
    return {.to_device = job_.bytes(), .to_host = answer_bytes()};  // per message, as the times are
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
  std::uint64_t answer(std::uint32_t number) final {
    const auto words = message();
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = word_of(number, i);
    }
    return ask();
  }
  [[nodiscard]] std::uint64_t expected(std::uint32_t number) const final {
    return plain_answer(number, job_.pattern.words);
  }

  exchange_job job_;
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
    send_to_device(where_, words_.device(), words_.host());
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

std::unique_ptr<trial> make_trial(const settings& asked, std::uint64_t size,
                                  std::optional<std::uint64_t> rate) {
  auto made = std::make_unique<trial>();
  const auto placements = placements_anywhere(asked);
  const std::uint64_t fits = fit_to_budget(size, pinned_among(placements) + 1, made->notes);
  const exchange_job job{.pattern = {.words = fits / word, .stride = 1},
                         .how = pace::of(asked, rate)};
  made->label = label_of(fits, rate);
  made->unit = "message";
  set_pace(*made, job.how);
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
      for (const auto& each : {std::optional<std::uint64_t>(), std::optional(rate)}) {
        // Between the ends the rate changes little.
        const bool is_end = size == sizes.front() || size == sizes.back();
        if (!each || asked.full || is_end) {
          trials.push_back({label_of(size, each), [=] { return make_trial(asked, size, each); }});
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
