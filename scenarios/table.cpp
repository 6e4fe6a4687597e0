// A few rows of a table of gigabytes are changed by a kernel that alone knows which: is the table
// copied, or reached where it is?
#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pinhole/core/error.hpp"
#include "pinhole/core/units.hpp"
#include "pinhole/memory/any_buffer.hpp"
#include "pinhole/memory/copy.hpp"
#include "pinhole/memory/staged_buffer.hpp"
#include "scenarios/arms.hpp"
#include "scenarios/catalog.hpp"
#include "scenarios/crossing.hpp"
#include "scenarios/sizes.hpp"
#include "scenarios/table_update.hpp"

namespace pinhole::scenarios {

namespace {

constexpr std::uint64_t row_bytes = sizeof(table_row);
constexpr std::uint64_t report_bytes = (1 + rows_per_call) * row_bytes;

/// What the arms of a trial agree on.
struct table_job {
  std::size_t rows = 0;
  std::uint64_t seed = 0;
};

// ---- arms ------------------------------------------------------------------------------------

/// An arm over a table of the host's. Each run is a call with another key, so that it changes other
/// rows, which the host has not touched for long, as in real life. In its buffer one more row
/// follows the table, for the report.
class table_arm : public arm {
 public:
  table_arm(std::string name, role stands_for, const table_job& job)
      : name_(std::move(name)), role_(stands_for), job_(job) {}

  [[nodiscard]] std::string name() const final { return name_; }
  [[nodiscard]] role stands_for() const final { return role_; }

  void prepare() override {
    if (calls_ == 0) {
      fill();
    }
    for (const std::size_t position : expected_positions()) {
      restore(position);
    }
    ++calls_;
    seen_ = {};
    positions_ = {};
  }

  [[nodiscard]] std::optional<std::string> check() final {
    const auto expected = expected_positions();
    for (std::size_t i = 0; i < rows_per_call; ++i) {
      if (positions_.words[i] != expected[i]) {
        return "position " + std::to_string(i) + " of the report: expected row " +
               std::to_string(expected[i]) + ", got " + std::to_string(positions_.words[i]);
      }
      if (const auto wrong = difference(expected[i], changed(first_row(expected[i])), seen_[i])) {
        return "as the host read it, " + *wrong;
      }
    }
    return first_difference(expected);
  }

 protected:
  /// The host's side of the table; used while the device is idle.
  [[nodiscard]] virtual basic_buffer<table_row>& table() = 0;
  /// Undoes what a call did to the row.
  virtual void restore(std::size_t position) {
    const table_row before = first_row(position);
    table().write(position, {&before, 1});
  }

  [[nodiscard]] std::size_t rows() const noexcept { return job_.rows; }
  [[nodiscard]] std::uint64_t key() const noexcept { return scramble(job_.seed + calls_); }
  /// Notes the report that a call left behind; look_at() the rows that it names.
  void take(const table_row& positions) { positions_ = positions; }
  [[nodiscard]] std::size_t position(std::size_t i) const { return positions_.words[i]; }
  /// What the host wants: the i-th changed row.
  void look_at(std::size_t i, const table_row& row) { seen_[i] = row; }
  /// The host reads the changed rows in its table.
  void look_at_table() {
    for (std::size_t i = 0; i < rows_per_call; ++i) {
      table().read(position(i), {&seen_[i], 1});
    }
  }

 private:
  static constexpr std::size_t rows_at_once = 4096;

  [[nodiscard]] std::array<std::size_t, rows_per_call> expected_positions() const {
    std::array<std::size_t, rows_per_call> expected{};
    for (std::size_t i = 0; i < rows_per_call; ++i) {
      expected[i] = rows_of_call(key(), rows())[i];
    }
    return expected;
  }

  void fill() {
    std::vector<table_row> some(std::min(rows_at_once, rows()));
    for (std::size_t first = 0; first < rows(); first += some.size()) {
      const std::size_t count = std::min(some.size(), rows() - first);
      for (std::size_t i = 0; i < count; ++i) {
        some[i] = first_row(first + i);
      }
      table().write(first, std::span(some).first(count));
    }
  }

  static std::optional<std::string> difference(std::size_t position, const table_row& expected,
                                               const table_row& got) {
    for (std::size_t i = 0; i < words_per_row; ++i) {
      if (expected.words[i] != got.words[i]) {
        return "row " + std::to_string(position) + ", word " + std::to_string(i) + ": expected " +
               std::to_string(expected.words[i]) + ", got " + std::to_string(got.words[i]);
      }
    }
    return std::nullopt;
  }

  /// Of all rows, those that must not have changed included.
  std::optional<std::string> first_difference(
      const std::array<std::size_t, rows_per_call>& ascending) {
    std::vector<table_row> some(std::min(rows_at_once, rows()));
    for (std::size_t first = 0; first < rows(); first += some.size()) {
      const auto part = std::span(some).first(std::min(some.size(), rows() - first));
      table().read(first, part);
      for (std::size_t i = 0; i < part.size(); ++i) {
        const table_row before = first_row(first + i);
        const bool is_changed = std::ranges::binary_search(ascending, first + i);
        if (const auto wrong =
                difference(first + i, is_changed ? changed(before) : before, part[i])) {
          return wrong;
        }
      }
    }
    return std::nullopt;
  }

  std::string name_;
  role role_;
  table_job job_;
  std::uint64_t calls_ = 0;
  table_row positions_;
  std::array<table_row, rows_per_call> seen_{};
};

/// The article's way: the whole table is copied up and back, from pageable memory; and the same
/// from pinned memory, which is as fast as whole copies get.
class copying_updater final : public table_arm {
 public:
  copying_updater(const device& where, const table_job& job, host_memory memory)
      : table_arm(memory == host_memory::pinned ? "copy, pinned" : "copy", role::naive_copy, job),
        where_(where),
        table_(where, job.rows + 1, {.host = memory}),
        work_(where) {}

  [[nodiscard]] traffic moved() const override {
    return {.to_device = table_.host().size_bytes(), .to_host = table_.host().size_bytes()};
  }

  void run() override {
    const auto on_device = table_.device();
    send_to_device(where_, on_device, table_.host());
    update_rows(work_, on_device.subview(0, rows()), key(),
                {.positions = &on_device[rows()], .rows = {}});
    work_.before_copy();
    copy_to_host(where_, table_.host(), on_device);
    take(table_.host().back());
    look_at_table();
  }

 private:
  [[nodiscard]] basic_buffer<table_row>& table() override { return table_; }

  device where_;
  staged_buffer<table_row> table_;
  default_stream work_;
};

/// The expert's way: a second table stays on the device, the kernel lists what it changes, and the
/// host copies the list, with one wait, and brings its own table up to date.
class listing_updater final : public table_arm {
 public:
  listing_updater(const device& where, const table_job& job)
      : table_arm("expert copy", role::expert_copy, job),
        work_(where),
        table_(where, job.rows, {.host = host_memory::pageable}),
        report_(where, 1 + rows_per_call) {}

  [[nodiscard]] std::optional<placement> placed() const override { return table_.placed(); }
  [[nodiscard]] traffic moved() const override { return {.to_device = 0, .to_host = report_bytes}; }

  void prepare() override {
    const bool is_first = !on_device_;
    table_arm::prepare();
    if (is_first) {
      table_.to_device(work_);
      on_device_ = true;
    }
    work_.wait(patience);
  }

  void run() override {
    const auto list = report_.device();
    update_rows(work_, table_.device(), key(),
                {.positions = list.data(), .rows = list.subview(1, rows_per_call)});
    report_.to_host(work_);
    work_.wait(patience);
    take(report_.host().front());
    for (std::size_t i = 0; i < rows_per_call; ++i) {
      const table_row& row = report_.host()[1 + i];
      table_.host()[position(i)] = row;
      look_at(i, row);
    }
  }

 private:
  [[nodiscard]] basic_buffer<table_row>& table() override { return table_; }
  void restore(std::size_t position) override {
    table_arm::restore(position);
    table_.to_device(work_, position, 1);
  }

  stream work_;  // outlives the buffers that are handed over on it
  staged_buffer<table_row> table_;
  staged_buffer<table_row> report_;
  bool on_device_ = false;
};

/// There is one table, and the kernel changes it where it is. Its report stands in the row behind
/// the table, so that one hand-back covers both.
class in_place_updater final : public table_arm {
 public:
  in_place_updater(const device& where, const table_job& job, placement how)
      : table_arm(std::string(to_string(how)), role::in_place, job),
        work_(where),
        table_(make_buffer<table_row>(where, job.rows + 1, how)) {}

  [[nodiscard]] std::optional<placement> placed() const override { return table_.placed(); }
  [[nodiscard]] traffic moved() const override {
    // Rows in the device's memory cross when the host reads them, and not before.
    const bool is_far = table_.placed() == placement::vram;
    return {.to_device = is_far ? 0 : rows_per_call * row_bytes, .to_host = report_bytes};
  }

  void run() override {
    table_.to_device(work_);
    const auto on_device = table_.device();
    update_rows(work_, on_device.subview(0, rows()), key(),
                {.positions = &on_device[rows()], .rows = {}});
    table_.to_host(work_);
    work_.wait(patience);
    table_row positions;
    table_.read(rows(), {&positions, 1});
    take(positions);
    look_at_table();
  }

 private:
  [[nodiscard]] basic_buffer<table_row>& table() override { return table_; }

  stream work_;  // outlives the buffer that is handed over on it
  any_buffer<table_row> table_;
};

// ---- trial -----------------------------------------------------------------------------------

std::uint64_t usual_size(const settings& asked) {
  const bool on_cpu = asked.where.kind() == device_kind::cpu;
  return asked.full ? 1_GiB : on_cpu ? 16_MiB : 256_MiB;
}

std::unique_ptr<trial> make_trial(const settings& asked, std::uint64_t size) {
  auto made = std::make_unique<trial>();
  const auto placements = placements_anywhere(asked);
  // Pinned: the table of each placement in host memory, and one that is copied.
  const std::uint64_t fits = fit_to_budget(size, pinned_among(placements) + 1, made->notes);
  const table_job job{.rows = fits / row_bytes, .seed = asked.seed};
  made->label = std::to_string(rows_per_call) + " rows of " + format_bytes(fits);
  made->unit = "call";
  made->unmeasured_runs = 1;
  made->notes.push_back("a call changes " + std::to_string(rows_per_call) + " rows of " +
                        format_bytes(row_bytes) +
                        " that only the kernel knows, and the host reads them");
  made->notes.emplace_back("expert copy: a second table on the device, and a list of the changes");
  made->arms.push_back(std::make_unique<copying_updater>(asked.where, job, host_memory::pageable));
  made->arms.push_back(std::make_unique<copying_updater>(asked.where, job, host_memory::pinned));
  made->arms.push_back(std::make_unique<listing_updater>(asked.where, job));
  for (const placement how : placements) {
    made->arms.push_back(std::make_unique<in_place_updater>(asked.where, job, how));
  }
  return made;
}

class table_scenario final : public scenario {
 public:
  [[nodiscard]] std::string_view name() const override { return "table"; }
  [[nodiscard]] std::string_view summary() const override {
    return "a kernel changes 16 rows of a large table that only it knows, and the host reads them";
  }

  [[nodiscard]] std::vector<planned_trial> plan(const settings& asked) const override {
    constexpr std::uint64_t least = rows_per_call * row_bytes;
    constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max() * row_bytes;
    const std::uint64_t size = asked_size(asked, name(), row_bytes).value_or(usual_size(asked));
    (void)placements_anywhere(asked);
    if (size < least || size > most) {
      detail::reject("use --size " + std::to_string(size) + " for table",
                     "allowed are " + format_bytes(least) + " to " + format_bytes(most));
    }
    return {{std::to_string(rows_per_call) + " rows of " + format_bytes(size),
             [=] { return make_trial(asked, size); }}};
  }

  [[nodiscard]] std::vector<std::string> conclude(
      const std::vector<trial_result>& measured) const override {
    return what_crosses(measured);
  }
};

}  // namespace

const scenario& table() {
  static const table_scenario only;
  return only;
}

}  // namespace pinhole::scenarios
