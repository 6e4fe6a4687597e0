// The article's warning: a host that reads a mapped result too early reads the last one. How many
// reads are stale, and what does it cost to wait in each of the ways that are right?
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "pinhole/core/error.hpp"
#include "pinhole/core/units.hpp"
#include "pinhole/memory/any_buffer.hpp"
#include "pinhole/memory/copy.hpp"
#include "pinhole/memory/mapped_buffer.hpp"
#include "pinhole/memory/staged_buffer.hpp"
#include "platform/event.hpp"
#include "platform/wait.hpp"
#include "scenarios/arms.hpp"
#include "scenarios/catalog.hpp"
#include "scenarios/publish.hpp"
#include "scenarios/sizes.hpp"

namespace pinhole::scenarios {

namespace {

constexpr std::uint64_t word = sizeof(std::uint32_t);
constexpr std::uint64_t usual_size = 4_KiB;

/// What the arms of a trial share. A read is one look at the whole result of a turn.
struct coherence_job {
  std::vector<std::uint32_t> base;  ///< the result of turn 0
  unsigned turns = 0;               ///< of a run

  [[nodiscard]] std::uint64_t bytes() const { return base.size() * word; }
};
using shared_job = std::shared_ptr<const coherence_job>;

// ---- ways to wait ----------------------------------------------------------------------------

[[noreturn]] void give_up(fault kind, const char* why) {
  throw error({.kind = kind,
               .asked = "wait for a result",
               .call = {},
               .status = why,
               .remedy = {},
               .sticky = false,
               .survives = {}});
}

/// A point of a stream that the host can wait for, without what is queued behind it.
class mark {
 public:
  explicit mark(const device& where) : event_(where) {}

  void record(const stream_ref& work) {
    auto& driver = event_.where.backend();
    platform::require(driver, driver.record_event(event_.native, work.native()), "record an event");
  }
  void wait() {
    auto& driver = event_.where.backend();
    const auto deadline = std::chrono::steady_clock::now() + patience;
    platform::backoff waiting(event_.where.tuning());
    auto now_is = driver.query_event(event_.native);
    while (now_is.what == platform::outcome::not_ready) {
      if (std::chrono::steady_clock::now() > deadline) {
        give_up(fault::timed_out, "the event did not come");
      }
      waiting.pause();
      now_is = driver.query_event(event_.native);
    }
    platform::require(driver, now_is, "wait for an event");
  }

 private:
  pinhole::detail::event event_;
};

/// Waits until the device has written `turn` into the flag. The acquire order pairs with the
/// kernel's release; the stream is asked now and then, so that a kernel that died is noticed.
void wait_for(std::uint32_t& flag, std::uint32_t turn, const stream& work) {
  constexpr unsigned looks_between = 4096;
  const std::atomic_ref bell(flag);
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (unsigned looks = 1; bell.load(std::memory_order_acquire) != turn; ++looks) {
    if (looks % looks_between != 0) {
      continue;
    }
    if (work.is_done() && bell.load(std::memory_order_acquire) != turn) {
      give_up(fault::call_failed, "the kernel ended without raising its flag");
    }
    if (std::chrono::steady_clock::now() > deadline) {
      give_up(fault::timed_out, "the flag was not raised");
    }
  }
}

// ---- arms ------------------------------------------------------------------------------------

/// Turn after turn the device writes a result and the host reads it. Turns are counted over all
/// runs, so that what is left of an earlier one is never right.
class result_reader : public arm {
 public:
  result_reader(std::string name, role stands_for, shared_job job)
      : name_(std::move(name)), role_(stands_for), job_(std::move(job)) {}

  [[nodiscard]] std::string name() const final { return name_; }
  [[nodiscard]] role stands_for() const final { return role_; }
  [[nodiscard]] traffic moved() const final {
    return {.to_device = 0, .to_host = job().turns * job().bytes()};
  }
  [[nodiscard]] std::vector<metric> metrics() const final {
    return {{.name = "stale reads",
             .unit = "of " + std::to_string(job().turns),
             .value = static_cast<double>(stale_)}};
  }

  void prepare() final {
    stale_ = 0;
    first_stale_.clear();
  }

  void run() final {
    for (unsigned i = 0; i < job().turns; ++i) {
      take_turn(++turn_);
    }
  }

  /// A stale read is a wrong result where the rules were kept.
  [[nodiscard]] std::optional<std::string> check() final {
    return stale_ == 0 ? std::nullopt : std::optional(first_stale_);
  }

 protected:
  /// Has the device publish a result, and reads it.
  virtual void take_turn(std::uint32_t turn) = 0;
  [[nodiscard]] const coherence_job& job() const noexcept { return *job_; }

  /// Reads the result as memory that the host owns.
  void read(std::span<const std::uint32_t> result, std::uint32_t turn) {
    look_at(result.size(), turn, [=](std::size_t i) { return result[i]; });
  }
  /// Reads the result while the device may be writing it.
  void read_hastily(std::span<std::uint32_t> result, std::uint32_t turn) {
    look_at(result.size(), turn, [=](std::size_t i) {
      return std::atomic_ref(result[i]).load(std::memory_order_relaxed);
    });
  }

 private:
  template <class Read>
  void look_at(std::size_t words, std::uint32_t turn, const Read& read_word) {
    const std::uint32_t offset = result_word(turn, 0) - job().base[0];
    for (std::size_t i = 0; i < words; ++i) {
      const std::uint32_t expected = job().base[i] + offset;
      if (const std::uint32_t got = read_word(i); got != expected) {
        note_stale(turn, i, expected, got);
        return;
      }
    }
  }
  void note_stale(std::uint32_t turn, std::size_t i, std::uint32_t expected, std::uint32_t got) {
    if (++stale_ == 1) {
      first_stale_ = "word " + std::to_string(i) + " of the result of turn " +
                     std::to_string(turn) + ": expected " + std::to_string(expected) + ", got " +
                     std::to_string(got) + ", a stale read";
    }
  }

  std::string name_;
  role role_;
  shared_job job_;
  std::uint32_t turn_ = 0;
  unsigned stale_ = 0;
  std::string first_stale_;
};

/// A blocking copy of the result waits by itself.
class copying_result final : public result_reader {
 public:
  copying_result(const device& where, const shared_job& job)
      : result_reader("copy", role::naive_copy, job),
        where_(where),
        result_(where, job->base.size(), {.host = host_memory::pageable}),
        work_(where) {}

 private:
  void take_turn(std::uint32_t turn) override {
    publish(work_, result_.device(), {}, turn);
    work_.before_copy();
    copy_to_host(where_, result_.host(), result_.device());
    read(result_.host(), turn);
  }

  device where_;
  staged_buffer<std::uint32_t> result_;
  default_stream work_;
};

enum class way { synchronise, event, flag, no_wait };

std::string name_of(placement how, way waits) {
  if (how == placement::staged) {
    return "expert copy";
  }
  constexpr const char* names[] = {"synchronise", "event", "flag", "no wait"};
  return std::string(to_string(how)) + ", " + names[static_cast<std::size_t>(waits)];
}

role role_of(placement how, way waits) {
  if (waits == way::no_wait) {
    return role::pitfall;
  }
  return how == placement::staged ? role::expert_copy : role::in_place;
}

/// A result in any placement, and one of the ways to wait for it. Staged, it is the expert's copy:
/// pinned and queued behind the kernel, with one wait.
class placed_result final : public result_reader {
 public:
  placed_result(const device& where, const shared_job& job, placement how, way waits)
      : result_reader(name_of(how, waits), role_of(how, waits), job),
        waits_(waits),
        work_(where),
        done_(where),
        result_(make_buffer<std::uint32_t>(where, job->base.size(), how)),
        brought_in_(job->base.size()),
        flag_(where, 1) {
    std::ranges::fill(flag_.host(), 0);
  }

  [[nodiscard]] std::optional<placement> placed() const override { return result_.placed(); }

 private:
  void take_turn(std::uint32_t turn) override {
    if (waits_ == way::flag) {
      take_turn_with_flag(turn);
      return;
    }
    publish(work_, result_.device(), {}, turn);
    result_.to_host(work_);
    if (waits_ == way::no_wait) {
      read_hastily(result_.host(), turn);
    }
    if (waits_ == way::event) {
      done_.record(work_);
      done_.wait();
    } else {
      work_.wait(patience);
    }
    if (waits_ != way::no_wait) {
      read_result(turn);
    }
  }
  void take_turn_with_flag(std::uint32_t turn) {
    result_.to_device(work_);
    flag_.to_device(work_);
    publish(work_, result_.device(), flag_.device(), turn);
    wait_for(flag_.host()[0], turn, work_);
    read_result(turn);
  }
  /// Device memory is slow to read word by word, so there the result is brought in first.
  void read_result(std::uint32_t turn) {
    if (result_.placed() == placement::vram) {
      result_.read(0, brought_in_);
      read(brought_in_, turn);
    } else {
      read(result_.host(), turn);
    }
  }

  way waits_;
  stream work_;  // outlives the buffers that are handed over on it
  mark done_;
  any_buffer<std::uint32_t> result_;
  std::vector<std::uint32_t> brought_in_;
  mapped_buffer<std::uint32_t> flag_;
};

// ---- trial -----------------------------------------------------------------------------------

/// A flag says nothing about words that lie elsewhere than in host memory.
bool lies_in_host_memory(placement how) {
  return how == placement::mapped || how == placement::registered;
}

std::unique_ptr<trial> make_trial(const settings& asked, std::uint64_t size, unsigned turns) {
  auto made = std::make_unique<trial>();
  const auto placements = placements_anywhere(asked);
  // Each placement waits in three ways; besides there are the copy and the pitfall.
  const std::uint64_t fits = fit_to_budget(size, 3 * pinned_among(placements) + 2, made->notes);
  auto job = std::make_shared<coherence_job>();
  job->turns = turns;
  for (std::size_t i = 0; i < fits / word; ++i) {
    job->base.push_back(result_word(0, i));
  }
  made->label = std::to_string(turns) + " results of " + format_bytes(job->bytes());
  made->units = turns;
  made->unit = "turn";
  made->read_as = reading::time_per_unit;
  made->notes.emplace_back(
      "a read is stale when a word of it is not this turn's; where the host waits by the rules, a "
      "stale read would be a wrong result");
  const auto add = [&](placement how, way waits) {
    made->arms.push_back(std::make_unique<placed_result>(asked.where, job, how, waits));
  };
  made->arms.push_back(std::make_unique<copying_result>(asked.where, job));
  add(placement::staged, way::synchronise);
  for (const placement how : placements) {
    add(how, way::synchronise);
    add(how, way::event);
    if (lies_in_host_memory(how)) {
      add(how, way::flag);
    }
  }
  add(placement::mapped, way::no_wait);
  return made;
}

class coherence_scenario final : public scenario {
 public:
  [[nodiscard]] std::string_view name() const override { return "coherence"; }
  [[nodiscard]] std::string_view summary() const override {
    return "the host reads a result without waiting, or after an event, a synchronise or a flag";
  }
  [[nodiscard]] std::vector<planned_trial> plan(const settings& asked) const override {
    const std::uint64_t size = asked_size(asked, name(), word).value_or(usual_size);
    (void)placements_anywhere(asked);
    const unsigned turns = asked.full ? 1000 : 100;
    return {{std::to_string(turns) + " results of " + format_bytes(size),
             [=] { return make_trial(asked, size, turns); }}};
  }
};

}  // namespace

const scenario& coherence() {
  static const coherence_scenario only;
  return only;
}

}  // namespace pinhole::scenarios
