// A search that goes on until the kernel says that it has found something: what does it cost, turn
// by turn, to hand one bool back and forth?
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "pinhole/core/error.hpp"
#include "pinhole/kernel/for_each_index.cuh"
#include "pinhole/memory/any_buffer.hpp"
#include "pinhole/memory/copy.hpp"
#include "pinhole/memory/mapped_buffer.hpp"
#include "pinhole/memory/staged_buffer.hpp"
#include "scenarios/arms.hpp"
#include "scenarios/catalog.hpp"
#include "scenarios/flag_arms.hpp"
#include "scenarios/search_arm.hpp"
#include "scenarios/sizes.hpp"

namespace pinhole::scenarios {

namespace {

/// One candidate: the kernel. It raises the flag and never lowers it.
struct try_candidate {
  std::uint64_t first;
  std::uint64_t wanted;
  view<bool> found;
  view<std::uint64_t> answer;

  PINHOLE_HD void operator()(std::size_t i) const {
    if (scramble(first + i) == wanted) {
      answer[0] = first + i;
      found[0] = true;
    }
  }
};

// ---- arms ------------------------------------------------------------------------------------

class searcher : public search_arm {
 public:
  using search_arm::search_arm;

  /// Turn after turn until the flag is up.
  void run() override {
    while (!is_lost() && !turn(next_candidates())) {
    }
    conclude(fetch_answer());
  }

 protected:
  /// Tries the candidates of one turn and returns the flag, as the host reads it.
  virtual bool turn(const try_candidate& first) = 0;
  virtual std::uint64_t fetch_answer() = 0;
  [[nodiscard]] virtual view<bool> flag_on_device() const = 0;
  [[nodiscard]] virtual view<std::uint64_t> answer_on_device() const = 0;

  try_candidate next_candidates() {
    return {next_turn(), what().wanted, flag_on_device(), answer_on_device()};
  }
};

/// The article's copy variant: a bool of the host's, copied up and back around each launch.
class copying_searcher final : public searcher {
 public:
  copying_searcher(const device& where, const search& what)
      : searcher("copy", role::naive_copy, what),
        where_(where),
        found_(where, 1, {.host = host_memory::pageable}),
        answer_(where, 1, {.host = host_memory::pageable}),
        work_(where) {}

  [[nodiscard]] traffic moved() const override {
    return {.to_device = what().turns, .to_host = what().turns + sizeof(std::uint64_t)};
  }

  void prepare() override {
    searcher::prepare();
    answer_.host()[0] = nothing;
    copy_to_device(where_, answer_.device(), answer_.host());
  }

 private:
  bool turn(const try_candidate& first) override {
    bool found = false;
    send_to_device(where_, found_.device(), std::span(&found, 1));
    for_each_index(work_, search::candidates_per_turn, first);
    work_.before_copy();
    copy_to_host(where_, std::span(&found, 1), found_.device());
    return found;
  }
  std::uint64_t fetch_answer() override {
    copy_to_host(where_, answer_.host(), answer_.device());
    return answer_.host()[0];
  }
  [[nodiscard]] view<bool> flag_on_device() const override { return found_.device(); }
  [[nodiscard]] view<std::uint64_t> answer_on_device() const override { return answer_.device(); }

  device where_;
  staged_buffer<bool> found_;
  staged_buffer<std::uint64_t> answer_;
  default_stream work_;
};

/// The same loop over any placement. Mapped, it is the article's zero-copy variant; staged, it is
/// the expert's copy: pinned, asynchronous both ways, with one wait a turn; in VRAM the CPU writes
/// and reads the flag over the link.
class placed_searcher : public searcher {
 public:
  placed_searcher(const device& where, const search& what, placement how)
      : placed_searcher(where, what, how,
                        how == placement::staged ? "expert copy" : std::string(to_string(how)),
                        how == placement::staged ? role::expert_copy : role::in_place) {}

  [[nodiscard]] std::optional<placement> placed() const final { return found_.placed(); }
  [[nodiscard]] traffic moved() const final {
    if (found_.placed() == placement::staged || found_.placed() == placement::vram) {
      return {.to_device = what().turns, .to_host = what().turns + sizeof(std::uint64_t)};
    }
    return {.to_device = 0, .to_host = sizeof(bool) + sizeof(std::uint64_t)};
  }

  void prepare() final {
    searcher::prepare();
    answer_.host()[0] = nothing;
    answer_.to_device(work_);
    work_.wait(patience);
  }

 protected:
  placed_searcher(const device& where, const search& what, placement how, std::string name,
                  role stands_for)
      : searcher(std::move(name), stands_for, what),
        work_(where),
        found_(make_buffer<bool>(where, 1, how)),
        answer_(make_buffer<std::uint64_t>(where, 1, how)) {}

  void lower_flag_and_launch(const try_candidate& first) {
    found_.host()[0] = false;
    found_.to_device(work_);
    for_each_index(work_, search::candidates_per_turn, first);
    found_.to_host(work_);
  }
  bool wait_and_read() {
    work_.wait(patience);
    return found_.host()[0];
  }
  [[nodiscard]] const bool* flag_on_host() const { return found_.host().data(); }

  bool turn(const try_candidate& first) override {
    lower_flag_and_launch(first);
    return wait_and_read();
  }
  std::uint64_t fetch_answer() final {
    answer_.to_host(work_);
    work_.wait(patience);
    return answer_.host()[0];
  }
  [[nodiscard]] view<bool> flag_on_device() const final { return found_.device(); }
  [[nodiscard]] view<std::uint64_t> answer_on_device() const final { return answer_.device(); }

 private:
  stream work_;  // outlives the buffers that are handed over on it
  any_buffer<bool> found_;
  any_buffer<std::uint64_t> answer_;
};

/// Reads a flag that a kernel may be writing: a data race, and the mistake that is to be shown. The
/// thread sanitizer is told to look away.
__attribute__((noinline, no_sanitize("thread"))) bool read_too_early(const volatile bool* flag) {
  return *flag;
}

/// The mapped loop by a host that does not wait: right after each launch it reads the flag. Every
/// kernel finds something here, so every flag that is read as lowered was read too early.
class hasty_searcher final : public placed_searcher {
 public:
  hasty_searcher(const device& where, const search& what)
      : placed_searcher(where, what, placement::mapped, "mapped, no wait", role::pitfall) {}

  void run() override {
    stale_ = 0;
    for (unsigned i = 0; i < what().turns; ++i) {
      auto all_found = next_candidates();
      all_found.wanted = scramble(all_found.first);
      lower_flag_and_launch(all_found);
      const bool hasty = read_too_early(flag_on_host());
      if (wait_and_read() && !hasty) {
        ++stale_;
      }
    }
  }

  [[nodiscard]] std::vector<metric> metrics() const override {
    return {{.name = "stale reads",
             .unit = "of " + std::to_string(what().turns),
             .value = static_cast<double>(stale_)}};
  }

 private:
  unsigned stale_ = 0;
};

// ---- scenario --------------------------------------------------------------------------------

std::unique_ptr<trial> make_trial(const settings& asked, unsigned turns) {
  const search what = search::hidden_in_turn(turns, asked.seed);
  auto made = std::make_unique<trial>();
  made->label = std::to_string(turns) + " turns of " + std::to_string(search::candidates_per_turn);
  made->units = turns;
  made->unit = "turn";
  made->read_as = reading::time_per_unit;
  (void)fit_to_budget(1, 8, made->notes);
  if (asked.size) {
    made->notes.emplace_back("--size says nothing here: what is shared is one bool");
  }
  made->notes.emplace_back(
      "stale reads: a host that does not wait reads the flag before the kernel has written it");
  made->arms.push_back(std::make_unique<copying_searcher>(asked.where, what));
  made->arms.push_back(std::make_unique<placed_searcher>(asked.where, what, placement::staged));
  for (const placement how : placements_anywhere(asked)) {
    made->arms.push_back(std::make_unique<placed_searcher>(asked.where, what, how));
  }
  made->arms.push_back(make_resident_searcher(asked.where, what));
  made->arms.push_back(make_mailbox_searcher(asked.where, what));
#if !defined(PINHOLE_CPU_ONLY)
  if (asked.where.kind() == device_kind::cuda) {
    made->arms.push_back(make_graph_searcher(asked.where, what));
  }
#endif
  made->arms.push_back(std::make_unique<hasty_searcher>(asked.where, what));
  return made;
}

class flag_scenario final : public scenario {
 public:
  [[nodiscard]] std::string_view name() const override { return "flag"; }
  [[nodiscard]] std::string_view summary() const override {
    return "a search loop that ends when a kernel raises a flag; time per turn";
  }
  [[nodiscard]] std::vector<planned_trial> plan(const settings& asked) const override {
    (void)asked_size(asked, name(), 1);
    (void)placements_anywhere(asked);
    const unsigned turns = asked.full ? 1000 : 100;
    return {{std::to_string(turns) + " turns", [=] { return make_trial(asked, turns); }}};
  }
};

}  // namespace

const scenario& flag() {
  static const flag_scenario only;
  return only;
}

}  // namespace pinhole::scenarios
