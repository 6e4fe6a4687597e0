// The GPU goes over the same weights of the host's again and again. Over the link each pass costs
// what a copy costs: from how many passes on is copying right?
#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "pinhole/core/error.hpp"
#include "pinhole/core/units.hpp"
#include "pinhole/memory/any_buffer.hpp"
#include "pinhole/memory/copy.hpp"
#include "pinhole/memory/mapped_buffer.hpp"
#include "pinhole/memory/staged_buffer.hpp"
#include "scenarios/arms.hpp"
#include "scenarios/asked_number.hpp"
#include "scenarios/catalog.hpp"
#include "scenarios/crossover.hpp"
#include "scenarios/drawing.hpp"
#include "scenarios/multiply.hpp"
#include "scenarios/sizes.hpp"

namespace pinhole::scenarios {

namespace {

constexpr std::uint64_t row_bytes = matrix_columns * sizeof(weight);
constexpr std::uint64_t most_passes = 1000;
using vector = std::vector<weight>;

/// What one call does: x = W x, `passes` times, from the host's weights and vector to the host's
/// result. Between two calls the host changes one weight and back, so that there are two results.
class compute_job {
 public:
  compute_job(std::size_t rows, std::uint64_t seed) : rows_(rows), seed_(seed), x_(matrix_columns) {
    for (std::size_t i = 0; i < x_.size(); ++i) {
      x_[i] = drawn(i);
    }
  }

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  [[nodiscard]] std::size_t weights() const noexcept { return rows_ * matrix_columns; }
  [[nodiscard]] const vector& x() const noexcept { return x_; }

  void write(basic_buffer<weight>& weights) const {
    vector row(matrix_columns);
    for (std::size_t first = 0; first < weights.size(); first += row.size()) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        row[i] = drawn(~(first + i));
      }
      weights.write(first, row);
    }
  }
  /// The host changes the weight in the middle, in every second call.
  void change(basic_buffer<weight>& weights, unsigned call) const {
    const std::size_t middle = weights.size() / 2;
    const weight changed = drawn(~middle) + call % 2;
    weights.write(middle, {&changed, 1});
  }

  /// The plain reference: what `passes` make of x with these weights, which are the host's in call
  /// number `call`. Remembers what it has worked out, for the other arms and trials.
  const vector& plain_result(const basic_buffer<weight>& weights, unsigned call, unsigned passes) {
    auto& known = known_[call % 2];
    if (known.size() < passes) {
      vector brought_in(weights.size());  // device memory is slow to read word by word
      weights.read(0, brought_in);
      while (known.size() < passes) {
        known.push_back(product(brought_in, known.empty() ? x_ : known.back()));
      }
    }
    return known[passes - 1];
  }

 private:
  [[nodiscard]] weight drawn(std::size_t i) const {
    return static_cast<weight>(scramble(seed_ + i) >> 32U);
  }
  [[nodiscard]] static vector product(std::span<const weight> weights, const vector& x) {
    vector y(weights.size() / matrix_columns);
    for (std::size_t row = 0; row < y.size(); ++row) {
      const auto of_row = weights.subspan(row * matrix_columns, matrix_columns);
      std::size_t from = 0;
      for (const weight one : of_row) {
        y[row] += one * x[from];
        from = from + 1 < x.size() ? from + 1 : 0;
      }
    }
    return y;
  }

  std::size_t rows_;
  std::uint64_t seed_;
  vector x_;
  std::array<std::vector<vector>, 2> known_;
};
using shared_job = std::shared_ptr<compute_job>;

// ---- arms ------------------------------------------------------------------------------------

class multiplier : public arm {
 public:
  multiplier(std::string name, role stands_for, const device& where, shared_job job,
             unsigned passes)
      : name_(std::move(name)),
        role_(stands_for),
        job_(std::move(job)),
        passes_(passes),
        between_{scratch(where), scratch(where)},
        result_(job_->rows()) {}

  [[nodiscard]] std::string name() const final { return name_; }
  [[nodiscard]] role stands_for() const final { return role_; }

  void prepare() final {
    if (calls_ == 0) {
      job().write(weights());
    }
    job().change(weights(), ++calls_);
    std::ranges::fill(result_, 0);
  }

  [[nodiscard]] std::optional<std::string> check() final {
    const auto& expected = job().plain_result(weights(), calls_, passes_);
    const auto [right, got] = std::ranges::mismatch(expected, result_);
    if (right == expected.end()) {
      return std::nullopt;
    }
    return "row " + std::to_string(right - expected.begin()) + " of the result after " +
           std::to_string(passes_) + " passes: expected " + std::to_string(*right) + ", got " +
           std::to_string(*got);
  }

 protected:
  /// The host's weights; used while the device is idle.
  [[nodiscard]] virtual basic_buffer<weight>& weights() = 0;
  [[nodiscard]] compute_job& job() const noexcept { return *job_; }
  [[nodiscard]] unsigned passes() const noexcept { return passes_; }
  [[nodiscard]] std::span<weight> result() noexcept { return result_; }
  [[nodiscard]] std::uint64_t weight_bytes() const { return job().weights() * sizeof(weight); }
  [[nodiscard]] std::uint64_t result_bytes() const { return job().rows() * sizeof(weight); }
  [[nodiscard]] std::uint64_t x_bytes() const { return job().x().size() * sizeof(weight); }

  /// The vector after pass number `pass`, on the device.
  [[nodiscard]] view<weight> after(unsigned pass) const { return between_[pass % 2].device(); }
  /// Queues the passes from number `first` on, the last one into `result`.
  void queue_passes(const stream_ref& work, unsigned first, view<const weight> x,
                    view<weight> result) {
    for (unsigned pass = first; pass < passes_; ++pass) {
      multiply(work, weights().device(), pass == 0 ? x : after(pass - 1),
               pass + 1 == passes_ ? result : after(pass));
    }
  }

 private:
  /// On the device alone: the host half is never touched.
  [[nodiscard]] staged_buffer<weight> scratch(const device& where) const {
    return {where, job_->rows(), {.host = host_memory::pageable}};
  }

  std::string name_;
  role role_;
  shared_job job_;
  unsigned passes_;
  std::array<staged_buffer<weight>, 2> between_;
  vector result_;
  unsigned calls_ = 0;
};

/// The article's way: all weights are copied from pageable memory in each call.
class copying_multiplier final : public multiplier {
 public:
  copying_multiplier(const device& where, const shared_job& job, unsigned passes)
      : multiplier("copy", role::naive_copy, where, job, passes),
        where_(where),
        weights_(where, job->weights(), {.host = host_memory::pageable}),
        x_(where, job->x().size(), {.host = host_memory::pageable}),
        y_(where, job->rows(), {.host = host_memory::pageable}),
        work_(where) {}

  [[nodiscard]] traffic moved() const override {
    return {.to_device = weight_bytes() + x_bytes(), .to_host = result_bytes()};
  }

  void run() override {
    send_to_device(where_, weights_.device(), weights_.host());
    send_to_device(where_, x_.device(), job().x());
    queue_passes(work_, 0, x_.device(), y_.device());
    work_.before_copy();
    copy_to_host(where_, result(), y_.device());
  }

 private:
  [[nodiscard]] basic_buffer<weight>& weights() override { return weights_; }

  device where_;
  staged_buffer<weight> weights_;
  staged_buffer<weight> x_;
  staged_buffer<weight> y_;
  default_stream work_;
};

/// The expert's way: pinned weights go up in parts on two streams, so that the first pass over one
/// part runs while the next part is on the link; the result is written into host memory.
class streaming_multiplier final : public multiplier {
 public:
  streaming_multiplier(const device& where, const shared_job& job, unsigned passes)
      : multiplier("expert copy", role::expert_copy, where, job, passes),
        streams_{stream(where), stream(where)},
        weights_(where, job->weights()),
        x_{staged_buffer<weight>(where, job->x().size()),
           staged_buffer<weight>(where, job->x().size())},
        y_(where, job->rows()) {
    for (auto& one : x_) {
      one.write(0, job->x());
    }
  }

  [[nodiscard]] std::optional<placement> placed() const override { return weights_.placed(); }
  [[nodiscard]] traffic moved() const override {
    return {.to_device = weight_bytes() + 2 * x_bytes(), .to_host = result_bytes()};
  }

  void run() override {
    queue_first_pass();
    streams_[1].wait(patience);  // what stream 0 does next needs the results of both
    queue_passes(streams_[0], 1, {}, y_.device());
    y_.to_host(streams_[0]);
    streams_[0].wait(patience);
    std::ranges::copy(y_.host(), result().begin());
  }

 private:
  static constexpr std::size_t parts = 8;

  void queue_first_pass() {
    const auto into = passes() == 1 ? y_.device() : after(0);
    const std::size_t rows_of_part = (job().rows() + parts - 1) / parts;
    for (std::size_t i = 0; i < 2; ++i) {
      x_[i].to_device(streams_[i]);
    }
    for (std::size_t row = 0, i = 0; row < job().rows(); row += rows_of_part, i ^= 1U) {
      const std::size_t rows = std::min(rows_of_part, job().rows() - row);
      const std::size_t first = row * matrix_columns;
      const std::size_t count = rows * matrix_columns;
      weights_.to_device(streams_[i], first, count);
      multiply(streams_[i], weights_.device().subview(first, count), x_[i].device(),
               into.subview(row, rows));
    }
  }
  [[nodiscard]] basic_buffer<weight>& weights() override { return weights_; }

  std::array<stream, 2> streams_;  // outlive the buffers that are handed over on them
  staged_buffer<weight> weights_;
  std::array<staged_buffer<weight>, 2> x_;
  mapped_buffer<weight> y_;
};

/// The weights stay where they are: in host memory, read over the link in each pass, or in the
/// device's, where the host changes them over the link. The vector is small and read by every
/// block, so it is copied.
class in_place_multiplier final : public multiplier {
 public:
  in_place_multiplier(const device& where, const shared_job& job, unsigned passes, placement how)
      : multiplier(std::string(to_string(how)), role::in_place, where, job, passes),
        work_(where),
        weights_(make_buffer<weight>(where, job->weights(), how)),
        x_(where, job->x().size()),
        y_(where, job->rows()) {
    x_.write(0, job->x());
  }

  [[nodiscard]] std::optional<placement> placed() const override { return weights_.placed(); }
  [[nodiscard]] traffic moved() const override {
    const std::uint64_t of_weights =
        weights_.placed() == placement::vram ? 0 : passes() * weight_bytes();
    return {.to_device = of_weights + x_bytes(), .to_host = result_bytes()};
  }

  void run() override {
    weights_.to_device(work_);
    x_.to_device(work_);
    queue_passes(work_, 0, x_.device(), y_.device());
    y_.to_host(work_);
    work_.wait(patience);  // the weights were only read, so the host has them back as they were
    std::ranges::copy(y_.host(), result().begin());
  }

 private:
  [[nodiscard]] basic_buffer<weight>& weights() override { return weights_; }

  stream work_;  // outlives the buffers that are handed over on it
  any_buffer<weight> weights_;
  staged_buffer<weight> x_;
  mapped_buffer<weight> y_;
};

// ---- trials ----------------------------------------------------------------------------------

std::string text_of(unsigned passes) {
  return std::to_string(passes) + (passes == 1 ? " pass" : " passes");
}

/// Made with the first trial, when the size that fits is known.
using job_for_all = std::shared_ptr<shared_job>;

std::unique_ptr<trial> make_trial(const settings& asked, std::uint64_t size, unsigned passes,
                                  const job_for_all& for_all) {
  auto made = std::make_unique<trial>();
  const auto placements = placements_anywhere(asked);
  const std::uint64_t fits =
      fit_to_budget(size, static_cast<unsigned>(placements.size() + 1), made->notes);
  const std::size_t rows = std::max<std::size_t>(1, fits / row_bytes);
  if (!*for_all || (*for_all)->rows() != rows) {
    *for_all = std::make_shared<compute_job>(rows, asked.seed);
  }
  const auto& job = *for_all;
  made->label = text_of(passes) + " a call over " + format_bytes(rows * row_bytes);
  made->units = passes;
  made->unit = "pass";
  made->read_as = reading::time_per_unit;
  made->most_repeats = 20;
  const std::uint64_t cache = asked.where.capabilities().l2_bytes;
  if (rows * row_bytes <= cache) {
    made->notes.push_back("the weights fit into the device's L2 cache of " + format_bytes(cache));
  }
  if (std::ranges::find(placements, placement::vram) != placements.end()) {
    made->notes.emplace_back(
        "in vram the weights lie on the device for good; what the host changes there is changed "
        "between the calls, as in the other arms");
  }
  made->arms.push_back(std::make_unique<copying_multiplier>(asked.where, job, passes));
  made->arms.push_back(std::make_unique<streaming_multiplier>(asked.where, job, passes));
  for (const placement how : placements) {
    made->arms.push_back(std::make_unique<in_place_multiplier>(asked.where, job, passes, how));
  }
  return made;
}

std::uint64_t usual_size(const settings& asked) {
  return asked.where.kind() == device_kind::cpu && !asked.full ? 8_MiB : 256_MiB;
}

std::vector<unsigned> usual_passes(const settings& asked) {
  return asked.full ? std::vector<unsigned>{1, 2, 3, 4, 8, 16, 64}
                    : std::vector<unsigned>{1, 2, 4, 16};
}

/// The first place of a series where in place takes at least twice as long as the copy; empty:
/// none.
std::string where_halved(std::span<const contest> series) {
  const auto halved = std::ranges::find_if(
      series, [](const contest& one) { return one.ours_us >= 2 * one.theirs_us; });
  return halved == series.end() ? "" : halved->where;
}

bool reads_over_the_link(const arm_result& arm) {
  return arm.stands_for == role::in_place && arm.placed != placement::vram;
}

class compute_scenario final : public scenario {
 public:
  [[nodiscard]] std::string_view name() const override { return "compute"; }
  [[nodiscard]] std::string_view summary() const override {
    return "a matrix is multiplied with a vector, again and again, by a GPU that reads it in place";
  }

  [[nodiscard]] std::vector<planned_trial> plan(const settings& asked) const override {
    const std::uint64_t size = asked_size(asked, name(), row_bytes).value_or(usual_size(asked));
    (void)placements_anywhere(asked);
    std::vector<unsigned> all = usual_passes(asked);
    if (const auto only = asked_number("--passes", asked.passes, 0, 1, most_passes)) {
      all = {static_cast<unsigned>(only)};
    }
    const auto job = std::make_shared<shared_job>();
    std::vector<planned_trial> trials;
    for (const unsigned passes : all) {
      trials.push_back({text_of(passes) + " a call over " + format_bytes(size),
                        [=] { return make_trial(asked, size, passes, job); }});
    }
    return trials;
  }

  [[nodiscard]] std::vector<std::string> conclude(
      const std::vector<trial_result>& measured) const override {
    std::vector<contest> series;
    for (const auto& one : measured) {
      const auto in_place = best_us(one, reads_over_the_link);
      const auto copy =
          best_us(one, [](const arm_result& arm) { return arm.stands_for == role::expert_copy; });
      if (in_place && copy) {
        series.push_back({one.label.substr(0, one.label.find(" a call")), *in_place, *copy});
      }
    }
    if (series.empty()) {
      return {};
    }
    std::vector<std::string> lines = {"by passes a call: " +
                                      who_wins(series, "host memory in place", "the expert copy")};
    if (const auto where = where_halved(series); !where.empty()) {
      lines.push_back("host memory in place has half the expert copy's speed or less from " +
                      where + " on");
    }
    return lines;
  }
};

}  // namespace

const scenario& compute() {
  static const compute_scenario only;
  return only;
}

}  // namespace pinhole::scenarios
