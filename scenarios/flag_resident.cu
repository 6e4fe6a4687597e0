// A kernel that stays and searches turn by turn; host and kernel raise flags for each other.
#include "scenarios/flag_resident.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pinhole/kernel/resident.cuh"
#include "pinhole/memory/mapped_buffer.hpp"
#include "pinhole/memory/staged_buffer.hpp"
#include "pinhole/signal/flag.hpp"
#include "scenarios/arms.hpp"
#include "scenarios/drawing.hpp"

namespace pinhole::scenarios {

/// Every block searches its share of a turn; the last one to finish tells the host.
struct search_in_turns {
  std::uint64_t wanted;
  kernel::flag_end turn;
  kernel::flag_end found;
  view<std::uint64_t> answer;
  view<std::uint64_t> finished;  ///< blocks, over all turns; in device memory

  PINHOLE_HD void operator()(kernel::watch& life, const kernel::grid_place& at) const {
    const kernel::one_block team;
    const std::uint64_t share = search::candidates_per_turn / at.blocks;
    for (std::uint64_t number = 1;; ++number) {
      bool goes_on = team.rank() == 0 && turn.wait_for_raise(number, life);
      team.share(goes_on);
      if (!goes_on) {
        return;
      }
      const std::uint64_t first = (number - 1) * search::candidates_per_turn + at.block * share;
      for (std::uint64_t i = team.rank(); i < share; i += team.size()) {
        if (scramble(first + i) == wanted) {
          answer[0] = first + i;
          found.raise();
        }
      }
      team.sync();
      if (team.rank() == 0 && kernel::count_up(&finished[0]) == number * at.blocks) {
        turn.raise();
      }
    }
  }
};

namespace {

constexpr std::uint64_t nothing = ~std::uint64_t{0};

class resident_searcher final : public arm {
 public:
  resident_searcher(const device& where, const search& what)
      : where_(where), what_(what), work_(where) {}

  [[nodiscard]] std::string name() const override { return "resident flag"; }
  [[nodiscard]] role stands_for() const override { return role::in_place; }

  void prepare() override {
    turns_taken_ = 0;
    answer_ = nothing;
    now_.reset();
    now_.emplace(where_, what_, work_);
  }

  void run() override {
    auto& my = *now_;
    const auto start = std::chrono::steady_clock::now();
    do {
      my.turn.lower();
      my.turn.raise();
      my.turn.wait_until_raised(patience, wait_policy::spin, &my.worker.work());
      ++turns_taken_;
    } while (!my.found.is_raised() && turns_taken_ <= what_.turns);
    answer_ = my.answer.host()[0];
    us_ =
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    my.worker.stop(patience);
  }

  [[nodiscard]] std::optional<std::string> check() override {
    const std::uint64_t expected = what_.plain_answer();
    if (answer_ != expected) {
      return "answer: expected " + std::to_string(expected) + ", got " +
             (answer_ == nothing ? "none" : std::to_string(answer_));
    }
    if (turns_taken_ != what_.turns) {
      return "turns: expected " + std::to_string(what_.turns) + ", took " +
             std::to_string(turns_taken_);
    }
    return std::nullopt;
  }

  [[nodiscard]] traffic moved() const override {
    return {.to_device = 8 * std::uint64_t{what_.turns}, .to_host = 8 * (what_.turns + 2UL)};
  }
  [[nodiscard]] std::optional<std::vector<double>> own_times_us() override {
    return std::vector<double>{us_};
  }

 private:
  /// What one run needs, so that the kernel's turns begin at 1.
  struct session {
    session(const device& where, const search& what, const stream& work)
        : turn(where),
          found(where),
          answer(where, 1),
          finished(where, 1),
          worker(start(where, what, work)) {}

    resident start(const device& where, const search& what, const stream& work) {
      answer.host()[0] = nothing;
      finished.host()[0] = 0;
      finished.to_device(work);
      work.wait(patience);
      resident_options options;
      options.threads = where.tuning().block_threads;
      options.blocks = where.kind() == device_kind::cpu
                           ? 2
                           : static_cast<unsigned>(search::candidates_per_turn) / options.threads;
      return resident(where,
                      search_in_turns{what.wanted, turn.device(), found.device(), answer.device(),
                                      finished.device()},
                      options, turn, found, answer, finished);
    }

    flag turn;
    flag found;
    mapped_buffer<std::uint64_t> answer;
    staged_buffer<std::uint64_t> finished;
    resident worker;
  };

  device where_;
  search what_;
  stream work_;
  std::optional<session> now_;
  unsigned turns_taken_ = 0;
  std::uint64_t answer_ = nothing;
  double us_ = 0;
};

}  // namespace

std::unique_ptr<arm> make_resident_searcher(const device& where, const search& what) {
  return std::make_unique<resident_searcher>(where, what);
}

}  // namespace pinhole::scenarios
