// Requests for single rows of a table on the device come in at a rate: how long does one wait, by a
// launch for each and by a kernel that stays?
#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pinhole/core/error.hpp"
#include "pinhole/core/units.hpp"
#include "pinhole/kernel/for_each_index.cuh"
#include "pinhole/kernel/resident.cuh"
#include "pinhole/memory/copy.hpp"
#include "pinhole/memory/mapped_buffer.hpp"
#include "pinhole/memory/staged_buffer.hpp"
#include "scenarios/arms.hpp"
#include "scenarios/asked_number.hpp"
#include "scenarios/catalog.hpp"
#include "scenarios/lookup.hpp"
#include "scenarios/runner.hpp"
#include "scenarios/sizes.hpp"

namespace pinhole::scenarios {

using row_view = view<const std::uint32_t>;

struct fetch_row {
  row_view table;
  view<std::uint32_t> row;
  view<std::uint32_t> reply;
  PINHOLE_HD void operator()(std::size_t i) const { reply[i] = table[row[i]]; }
};

/// The row rides in the launch itself.
struct fetch_this_row {
  row_view table;
  std::uint32_t row;
  view<std::uint32_t> reply;
  PINHOLE_HD void operator()(std::size_t /*i*/) const { reply[0] = table[row]; }
};

struct answer_row {
  row_view table;
  PINHOLE_HD std::uint32_t operator()(const std::uint32_t& row) const { return table[row]; }
};

namespace {

constexpr std::size_t row_bytes = sizeof(std::uint32_t);
constexpr std::uint64_t usual_rates[] = {1000, 10'000, 100'000};
constexpr std::uint64_t most_rate = 1'000'000;

/// The article's way: blocking copies around each launch.
class copying_lookup final : public lookup_arm {
 public:
  copying_lookup(const device& where, const lookup_job& job)
      : lookup_arm("copy", role::naive_copy, job),
        where_(where),
        row_(where, 1, {.host = host_memory::pageable}),
        reply_(where, 1, {.host = host_memory::pageable}),
        work_(where) {}

 private:
  std::uint32_t look_up(std::uint32_t row) override {
    row_.host()[0] = row;
    send_to_device(where_, row_.device(), row_.host());
    for_each_index(work_, 1, fetch_row{table(), row_.device(), reply_.device()});
    work_.before_copy();
    copy_to_host(where_, reply_.host(), reply_.device());
    return reply_.host()[0];
  }

  device where_;
  staged_buffer<std::uint32_t> row_;
  staged_buffer<std::uint32_t> reply_;
  default_stream work_;
};

/// The best that a launch per request does: nothing is copied, the row is an argument, and the
/// reply is written where the host reads it.
class launching_lookup final : public lookup_arm {
 public:
  launching_lookup(const device& where, const lookup_job& job)
      : lookup_arm("launch", role::expert_copy, job), work_(where), reply_(where, most_in_flight) {}

 private:
  std::uint32_t look_up(std::uint32_t row) override {
    reply_.to_device(work_);
    for_each_index(work_, 1, fetch_this_row{table(), row, reply_.device()});
    reply_.to_host(work_);
    work_.wait(patience);
    return reply_.host()[0];
  }
  /// As many launches as there are places for replies, and one wait.
  void answer_all(std::uint32_t first, std::span<std::uint64_t> answers) override {
    while (!answers.empty()) {
      const auto some = answers.first(std::min<std::size_t>(most_in_flight, answers.size()));
      reply_.to_device(work_);
      for (std::size_t i = 0; i < some.size(); ++i) {
        for_each_index(work_, 1,
                       fetch_this_row{table(), row_of(first++), reply_.device().subview(i, 1)});
      }
      reply_.to_host(work_);
      work_.wait(patience);
      std::ranges::copy(reply_.host().first(some.size()), some.begin());
      answers = answers.subspan(some.size());
    }
  }

  stream work_;  // outlives the buffers that are handed over on it
  mapped_buffer<std::uint32_t> reply_;
};

/// A kernel that stays. It is started and stopped outside the timing.
class asking_lookup final : public lookup_arm {
 public:
  asking_lookup(const device& where, const lookup_job& job)
      : lookup_arm("mailbox", role::in_place, job),
        where_(where),
        desk_(where, {.capacity = most_in_flight, .orders = ordering::messages}),
        blocks_(job.how.in_flight > 1 && where.kind() == device_kind::cuda ? 8 : 1) {}

 private:
  void begin() override {
    worker_.emplace(where_, desk_, answer_row{table()}, resident_options{.blocks = blocks_});
  }
  void end() override { worker_->stop(patience); }
  std::uint32_t look_up(std::uint32_t row) override {
    return desk_.ask(row, patience, wait_policy::spin);
  }
  /// As many as the mailbox has slots; each answer that is taken makes room for one more.
  void answer_all(std::uint32_t first, std::span<std::uint64_t> answers) override {
    std::deque<ticket> asked;
    std::size_t posted = 0;
    for (std::uint64_t& answer : answers) {
      for (; posted < answers.size(); ++posted) {
        const auto drawn = desk_.try_post(row_of(first + static_cast<std::uint32_t>(posted)));
        if (!drawn) {
          break;
        }
        asked.push_back(*drawn);
      }
      answer = desk_.wait(asked.front(), patience, wait_policy::spin);
      asked.pop_front();
    }
  }

  device where_;
  mailbox<std::uint32_t, std::uint32_t> desk_;
  unsigned blocks_;
  std::optional<resident> worker_;
};

// ---- trials ----------------------------------------------------------------------------------

/// At a rate, or flat out: one after the other, or many in flight.
struct tempo {
  std::optional<std::uint64_t> rate;
  unsigned in_flight = 1;

  [[nodiscard]] std::string text() const {
    return rate            ? std::to_string(*rate) + " requests a second"
           : in_flight > 1 ? "requests flat out, " + std::to_string(in_flight) + " in flight"
                           : "requests flat out, one by one";
  }
  [[nodiscard]] pace as_pace(const settings& asked) const {
    pace how = pace::of(asked, rate);
    if (in_flight > 1) {
      how.in_flight = in_flight;
      how.requests = in_flight * (asked.full ? 100 : 4);
    }
    return how;
  }
};

std::unique_ptr<trial> make_trial(const settings& asked, std::uint32_t rows, const tempo& each) {
  auto made = std::make_unique<trial>();
  const lookup_job job{.table = std::make_shared<const lookup_table>(asked.where, rows),
                       .rows = rows,
                       .seed = asked.seed,
                       .how = each.as_pace(asked)};
  made->label = each.text() + ", a table of " + format_bytes(rows * row_bytes);
  made->unit = "request";
  set_pace(*made, job.how);
  if (each.in_flight > 1) {
    made->notes.emplace_back("blocking copies answer one request after the other here too");
  }
  (void)fit_to_budget(row_bytes * most_in_flight, 4, made->notes);
  if (!asked.placements.empty()) {
    made->notes.emplace_back("--placement says nothing here: the table stays on the device");
  }
  made->arms.push_back(std::make_unique<copying_lookup>(asked.where, job));
  made->arms.push_back(std::make_unique<launching_lookup>(asked.where, job));
#if !defined(PINHOLE_CPU_ONLY)
  if (asked.where.kind() == device_kind::cuda) {
    made->arms.push_back(make_graph_lookup(asked.where, job));
  }
#endif
  made->arms.push_back(std::make_unique<asking_lookup>(asked.where, job));
  return made;
}

std::uint64_t usual_size(const settings& asked) {
  return asked.full ? 1_GiB : asked.where.kind() == device_kind::cpu ? 4_MiB : 256_MiB;
}

class lookup_scenario final : public scenario {
 public:
  [[nodiscard]] std::string_view name() const override { return "lookup"; }
  [[nodiscard]] std::string_view summary() const override {
    return "requests for rows of a table on the device, by launches and by a kernel that stays";
  }

  [[nodiscard]] std::vector<planned_trial> plan(const settings& asked) const override {
    const std::uint64_t size = asked_size(asked, name(), row_bytes).value_or(usual_size(asked));
    check_rows(size);
    (void)asked_number("--rate", asked.rate, usual_rates[0], 1, most_rate);
    (void)placements_anywhere(asked);
    std::vector<tempo> tempos{{}, {.rate = {}, .in_flight = most_in_flight}};
    for (const std::uint64_t rate : usual_rates) {
      if (!asked.rate) {
        tempos.push_back({.rate = rate});
      }
    }
    if (asked.rate) {
      tempos.push_back({.rate = asked.rate});
    }
    const auto rows = static_cast<std::uint32_t>(size / row_bytes);
    std::vector<planned_trial> trials;
    for (const auto& each : tempos) {
      trials.push_back({each.text(), [=] { return make_trial(asked, rows, each); }});
    }
    return trials;
  }

  /// The highest rates that last: by who waits for each answer, and by who does not.
  [[nodiscard]] std::vector<std::string> conclude(
      const std::vector<trial_result>& measured) const override {
    std::vector<std::string> lines;
    for (const auto& one : measured) {
      if (one.read_as == reading::rate) {
        lines.push_back(one.label.substr(0, one.label.find(", a table")) +
                        ", a second: " + rates_of(one));
      }
    }
    return lines;
  }

 private:
  static std::string rates_of(const trial_result& one) {
    std::string text;
    for (const auto& of : one.arms) {
      text += (text.empty() ? "" : ", ") + of.name + " " +
              std::to_string(std::llround(1e6 / of.median_us));
    }
    return text;
  }

  static void check_rows(std::uint64_t size) {
    if (size / row_bytes > std::numeric_limits<std::uint32_t>::max()) {
      throw error({.kind = fault::invalid_argument,
                   .asked = "run lookup with --size " + std::to_string(size),
                   .call = {},
                   .status = "the table has more rows than a request can name",
                   .remedy = "at most 16 GiB",
                   .sticky = false,
                   .survives = {}});
    }
  }
};

}  // namespace

lookup_table::lookup_table(const device& where, std::uint32_t rows)
    : table_(where, rows, {.host = host_memory::pageable}) {
  for (std::uint32_t row = 0; row < rows; ++row) {
    table_.host()[row] = row_value(row);
  }
  copy_to_device(where, table_.device(), table_.host());
}

const scenario& lookup() {
  static const lookup_scenario only;
  return only;
}

}  // namespace pinhole::scenarios
