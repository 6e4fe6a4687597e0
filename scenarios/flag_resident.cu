// A kernel that stays and searches turn by turn; host and kernel raise flags for each other.
#include "scenarios/flag_arms.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "pinhole/kernel/resident.cuh"
#include "pinhole/memory/mapped_buffer.hpp"
#include "pinhole/memory/staged_buffer.hpp"
#include "pinhole/signal/flag.hpp"
#include "scenarios/arms.hpp"
#include "scenarios/drawing.hpp"
#include "scenarios/search_arm.hpp"

namespace pinhole::scenarios {

/// Every block searches its share of a turn; the last one to finish tells the host. As long as
/// nothing is found there is nothing to say but that, and so nothing to order: only a block that
/// has found something, and the one that hears of it, wait for what they wrote to arrive.
struct search_in_turns {
  std::uint64_t wanted;
  kernel::flag_end turn;
  kernel::flag_end found;
  view<std::uint64_t> answer;
  view<std::uint64_t> finished;  ///< blocks over all turns, and hits; in device memory

  static constexpr std::uint64_t a_hit = std::uint64_t{1} << 32U;

  PINHOLE_HD void operator()(kernel::watch& life, const kernel::grid_place& at) const {
    const kernel::one_block team;
    const std::uint64_t share = search::candidates_per_turn / at.blocks;
    for (std::uint64_t number = 1;; ++number) {
      bool goes_on = team.rank() == 0 && turn.wait_for_raise(number, life, ordering::messages);
      team.hand_out(goes_on);
      if (!goes_on) {
        return;
      }
      bool is_hit = false;
      const std::uint64_t first = (number - 1) * search::candidates_per_turn + at.block * share;
      for (std::uint64_t i = team.rank(); i < share; i += team.size()) {
        if (scramble(first + i) == wanted) {
          answer[0] = first + i;
          found.raise();
          is_hit = true;
        }
      }
      is_hit = team.any(is_hit);
      if (team.rank() == 0) {
        tell(number, is_hit, at.blocks);
      }
    }
  }

 private:
  PINHOLE_HD void tell(std::uint64_t number, bool is_hit, unsigned blocks) const {
    const std::uint64_t now = is_hit ? kernel::count_up(&finished[0], a_hit + 1)
                                     : kernel::count_up(&finished[0], 1, ordering::messages);
    if (now % a_hit == number * blocks) {
      turn.raise_to(number, now < a_hit ? ordering::messages : ordering::all_memory);
    }
  }
};

namespace {

class resident_searcher final : public search_arm {
 public:
  resident_searcher(const device& where, const search& what)
      : search_arm("resident flag", role::in_place, what), where_(where), work_(where) {}

  void prepare() override {
    search_arm::prepare();
    now_.reset();
    now_.emplace(where_, what(), work_);
  }

  void run() override {
    auto& my = *now_;
    const auto start = std::chrono::steady_clock::now();
    do {
      my.turn.lower();
      my.turn.raise();
      my.turn.wait_until_raised(patience, wait_policy::spin, &my.worker.work());
      (void)next_turn();
    } while (!my.found.is_raised() && !is_lost());
    conclude(my.answer.host()[0]);
    us_ =
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    my.worker.stop(patience);
  }

  [[nodiscard]] traffic moved() const override {
    return {.to_device = 8 * std::uint64_t{what().turns}, .to_host = 8 * (what().turns + 2UL)};
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
      options.blocks = search_blocks(where);
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
  stream work_;
  std::optional<session> now_;
  double us_ = 0;
};

}  // namespace

std::unique_ptr<arm> make_resident_searcher(const device& where, const search& what) {
  return std::make_unique<resident_searcher>(where, what);
}

}  // namespace pinhole::scenarios
