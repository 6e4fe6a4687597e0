// The search of `flag` as questions: which of these candidates is it?
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "pinhole/kernel/resident.cuh"
#include "pinhole/memory/mapped_buffer.hpp"
#include "scenarios/arms.hpp"
#include "scenarios/drawing.hpp"
#include "scenarios/flag_arms.hpp"
#include "scenarios/search_arm.hpp"

namespace pinhole::scenarios {

struct some_candidates {
  std::uint64_t first;
  std::uint32_t count;
};
struct were_tried {
  std::uint32_t count;
};

/// Whoever finds the answer leaves it in place; the reply hands that over.
struct try_some {
  std::uint64_t wanted;
  view<std::uint64_t> answer;

  PINHOLE_HD void operator()(const some_candidates& asked, were_tried& reply,
                             const kernel::one_block& team) const {
    for (std::uint32_t i = team.rank(); i < asked.count; i += team.size()) {
      if (scramble(asked.first + i) == wanted) {
        answer[0] = asked.first + i;
      }
    }
    reply.count = asked.count;
  }
};

namespace {

class mailbox_searcher final : public search_arm {
 public:
  mailbox_searcher(const device& where, const search& what)
      : search_arm("mailbox", role::in_place, what), where_(where) {}

  void prepare() override {
    search_arm::prepare();
    now_.reset();
    now_.emplace(where_, what());
  }

  void run() override {
    auto& my = *now_;
    const auto start = std::chrono::steady_clock::now();
    do {
      ask_all_blocks(my, next_turn());
    } while (my.answer.host()[0] == nothing && !is_lost());
    conclude(my.answer.host()[0]);
    us_ =
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    my.worker.stop(patience);
  }

  [[nodiscard]] traffic moved() const override {
    const std::uint64_t messages = std::uint64_t{what().turns} * search_blocks(where_);
    return {.to_device = messages * sizeof(some_candidates),
            .to_host = messages * sizeof(were_tried) + sizeof(std::uint64_t)};
  }
  [[nodiscard]] std::optional<std::vector<double>> own_times_us() override {
    return std::vector<double>{us_};
  }

 private:
  struct session {
    session(const device& where, const search& what)
        : desk(where), answer(where, 1), asked(search_blocks(where)), worker(start(where, what)) {}

    resident start(const device& where, const search& what) {
      answer.host()[0] = nothing;
      resident_options options;
      options.threads = where.tuning().block_threads;
      options.blocks = search_blocks(where);
      return resident(where, desk, try_some{what.wanted, answer.device()}, options, answer);
    }

    mailbox<some_candidates, were_tried> desk;
    mapped_buffer<std::uint64_t> answer;
    std::vector<ticket> asked;
    resident worker;
  };

  /// Tickets go to the blocks in turn, so that each has its share.
  static void ask_all_blocks(session& my, std::uint64_t first) {
    const auto share = static_cast<std::uint32_t>(search::candidates_per_turn / my.asked.size());
    for (auto& one : my.asked) {
      one = my.desk.post({first, share}, patience, wait_policy::spin);
      first += share;
    }
    for (const auto& one : my.asked) {
      (void)my.desk.wait(one, patience, wait_policy::spin);
    }
  }

  device where_;
  std::optional<session> now_;
  double us_ = 0;
};

}  // namespace

std::unique_ptr<arm> make_mailbox_searcher(const device& where, const search& what) {
  return std::make_unique<mailbox_searcher>(where, what);
}

}  // namespace pinhole::scenarios
