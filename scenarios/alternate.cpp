// CPU and GPU take turns on one image: the GPU smooths all of it, the CPU measures and marks a
// region. How much has to move in a turn?
#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
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
#include "scenarios/catalog.hpp"
#include "scenarios/crossover.hpp"
#include "scenarios/drawing.hpp"
#include "scenarios/sizes.hpp"
#include "scenarios/smooth.hpp"

namespace pinhole::scenarios {

namespace {

constexpr unsigned turns = 100;
constexpr std::uint64_t row_bytes = image_width * sizeof(pixel);
constexpr auto whole = "the whole image in place";
constexpr auto region_alone = "the region alone in place";

/// The CPU's turn: adds up its region, then marks one pixel in eight of it.
std::uint64_t measure_and_mark(std::span<pixel> region, unsigned turn) {
  const auto total = std::accumulate(region.begin(), region.end(), std::uint64_t{0});
  const auto mark = static_cast<pixel>(scramble(turn)) & brightest;
  for (std::size_t i = 0; i < region.size(); i += 8) {
    region[i] = mark;
  }
  return total;
}

/// What the arms of a trial share: the first image, where the CPU looks, and what comes out.
struct alternate_job {
  std::vector<pixel> start;
  std::size_t first = 0;  ///< pixel of the region
  std::size_t count = 0;
  std::array<std::uint64_t, turns> totals{};
  std::vector<pixel> end;

  [[nodiscard]] std::size_t rows() const { return start.size() / image_width; }
  [[nodiscard]] std::uint64_t bytes() const { return start.size() * sizeof(pixel); }
  [[nodiscard]] std::uint64_t region_bytes() const { return count * sizeof(pixel); }
};
using shared_job = std::shared_ptr<const alternate_job>;

// ---- the plain reference ---------------------------------------------------------------------

std::vector<pixel> smoothed_plainly(const std::vector<pixel>& image) {
  const auto rows = static_cast<std::ptrdiff_t>(image.size() / image_width);
  const auto columns = static_cast<std::ptrdiff_t>(image_width);
  const auto row_sum = [&](std::ptrdiff_t y, std::ptrdiff_t x) {
    const pixel* const row = image.data() + std::clamp<std::ptrdiff_t>(y, 0, rows - 1) * columns;
    return row[std::max<std::ptrdiff_t>(x - 1, 0)] + 2 * row[x] +
           row[std::min<std::ptrdiff_t>(x + 1, columns - 1)];
  };
  std::vector<pixel> result(image.size());
  for (std::ptrdiff_t y = 0; y < rows; ++y) {
    for (std::ptrdiff_t x = 0; x < columns; ++x) {
      result[static_cast<std::size_t>(y * columns + x)] =
          (row_sum(y - 1, x) + 2 * row_sum(y, x) + row_sum(y + 1, x)) / 16;
    }
  }
  return result;
}

alternate_job plain_job(std::size_t rows, double share, std::uint64_t seed) {
  alternate_job job;
  job.start.resize(rows * image_width);
  for (std::size_t i = 0; i < job.start.size(); ++i) {
    job.start[i] = static_cast<pixel>(scramble(seed + i)) & brightest;
  }
  job.count = std::clamp<std::size_t>(
      static_cast<std::size_t>(static_cast<double>(job.start.size()) * share / 100), 1,
      job.start.size());
  job.first = (job.start.size() - job.count) / 2;
  job.end = job.start;
  for (unsigned turn = 0; turn < turns; ++turn) {
    job.end = smoothed_plainly(job.end);
    job.totals[turn] = measure_and_mark(std::span(job.end).subspan(job.first, job.count), turn);
  }
  return job;
}

// ---- arms ------------------------------------------------------------------------------------

/// In turn t the device smooths image t % 2 into the other one, and the CPU works on that.
class alternating : public arm {
 public:
  alternating(std::string name, role stands_for, shared_job job)
      : name_(std::move(name)), role_(stands_for), job_(std::move(job)) {}

  [[nodiscard]] std::string name() const final { return name_; }
  [[nodiscard]] role stands_for() const final { return role_; }

  void prepare() final {
    totals_ = {};
    begin();
  }

  void run() final {
    for (unsigned turn = 0; turn < turns; ++turn) {
      totals_[turn] = take_turn(turn);
    }
  }

  [[nodiscard]] std::optional<std::string> check() final {
    for (unsigned turn = 0; turn < turns; ++turn) {
      if (totals_[turn] != job().totals[turn]) {
        return "total of the region in turn " + std::to_string(turn) + ": expected " +
               std::to_string(job().totals[turn]) + ", got " + std::to_string(totals_[turn]);
      }
    }
    const auto image = end();
    const auto [expected, got] = std::ranges::mismatch(job().end, image);
    if (expected == job().end.end()) {
      return std::nullopt;
    }
    const auto i = static_cast<std::size_t>(expected - job().end.begin());
    return "pixel " + std::to_string(i % image_width) + " of row " +
           std::to_string(i / image_width) + ": expected " + std::to_string(*expected) + ", got " +
           std::to_string(*got);
  }

 protected:
  /// Puts the first image where both sides expect it.
  virtual void begin() = 0;
  /// Both sides' turns; returns what the CPU measured.
  virtual std::uint64_t take_turn(unsigned turn) = 0;
  /// The last image, whole.
  [[nodiscard]] virtual std::vector<pixel> end() = 0;
  [[nodiscard]] const alternate_job& job() const noexcept { return *job_; }
  [[nodiscard]] static traffic in_all_turns(std::uint64_t bytes_each_way) {
    return {.to_device = turns * bytes_each_way, .to_host = turns * bytes_each_way};
  }

 private:
  std::string name_;
  role role_;
  shared_job job_;
  std::array<std::uint64_t, turns> totals_{};
};

/// The article's way: the whole image is copied up and back in every turn.
class copying_pair final : public alternating {
 public:
  copying_pair(const device& where, const shared_job& job)
      : alternating("copy", role::naive_copy, job),
        where_(where),
        image_(where, job->start.size(), {.host = host_memory::pageable}),
        smoothed_(where, job->start.size(), {.host = host_memory::pageable}),
        work_(where) {}

  [[nodiscard]] traffic moved() const override { return in_all_turns(job().bytes()); }

 private:
  void begin() override { std::ranges::copy(job().start, image_.host().begin()); }
  std::uint64_t take_turn(unsigned turn) override {
    send_to_device(where_, image_.device(), image_.host());
    smooth(work_, {.pixels = image_.device(), .window = {}},
           {.pixels = smoothed_.device(), .window = {}});
    work_.before_copy();
    copy_to_host(where_, image_.host(), smoothed_.device());
    return measure_and_mark(image_.host().subspan(job().first, job().count), turn);
  }
  [[nodiscard]] std::vector<pixel> end() override {
    return {image_.host().begin(), image_.host().end()};
  }

  device where_;
  staged_buffer<pixel> image_;
  staged_buffer<pixel> smoothed_;  // its host half is never touched
  default_stream work_;
};

/// The same over any placement, handing over the region alone. Staged, it is the expert's copy: the
/// image stays on the device, and the region moves both ways from pinned memory with one wait.
class placed_pair final : public alternating {
 public:
  placed_pair(const device& where, const shared_job& job, placement how)
      : alternating(how == placement::staged ? "expert copy" : std::string(to_string(how)),
                    how == placement::staged ? role::expert_copy : role::in_place, job),
        work_(where),
        images_{make_buffer<pixel>(where, job->start.size(), how),
                make_buffer<pixel>(where, job->start.size(), how)},
        region_(job->count) {}

  [[nodiscard]] std::optional<placement> placed() const override { return images_[0].placed(); }
  [[nodiscard]] traffic moved() const override {
    const bool on_device = placed() == placement::staged || placed() == placement::vram;
    return in_all_turns(on_device ? job().region_bytes() : job().bytes());
  }

 private:
  void begin() override {
    work_.wait(patience);  // the last turn of the run before may still be handing over
    images_[0].write(0, job().start);
    images_[0].to_device(work_);
    work_.wait(patience);
  }
  std::uint64_t take_turn(unsigned turn) override {
    auto& before = images_[turn % 2];
    auto& after = images_[(turn + 1) % 2];
    smooth(work_, {.pixels = before.device(), .window = {}},
           {.pixels = after.device(), .window = {}});
    after.to_host(work_, job().first, job().count);
    work_.wait(patience);
    const auto total = work_on_region(after, turn);
    after.to_device(work_, job().first, job().count);
    return total;
  }
  /// Where the CPU stands. Device memory is slow to read word by word, so there the region is
  /// brought in and out by the placement's fastest road.
  std::uint64_t work_on_region(any_buffer<pixel>& image, unsigned turn) {
    if (image.placed() != placement::vram) {
      return measure_and_mark(image.host().subspan(job().first, job().count), turn);
    }
    image.read(job().first, region_);
    const auto total = measure_and_mark(region_, turn);
    image.write(job().first, region_);
    return total;
  }
  [[nodiscard]] std::vector<pixel> end() override {
    auto& last = images_[turns % 2];
    last.to_host(work_);
    work_.wait(patience);
    std::vector<pixel> image(job().start.size());
    last.read(0, image);
    return image;
  }

  stream work_;  // outlives the buffers that are handed over on it
  std::array<any_buffer<pixel>, 2> images_;
  std::vector<pixel> region_;
};

/// Nothing is copied, and what the CPU does not look at stays on the device: the region alone is
/// mapped, and the kernel finds it there.
class windowed_pair final : public alternating {
 public:
  windowed_pair(const device& where, const shared_job& job)
      : alternating("mapped region", role::in_place, job),
        where_(where),
        work_(where),
        images_{staged_buffer<pixel>(where, job->start.size(), {.host = host_memory::pageable}),
                staged_buffer<pixel>(where, job->start.size(), {.host = host_memory::pageable})},
        windows_{mapped_buffer<pixel>(where, job->count), mapped_buffer<pixel>(where, job->count)} {
  }

  [[nodiscard]] std::optional<placement> placed() const override { return placement::mapped; }
  [[nodiscard]] traffic moved() const override { return in_all_turns(job().region_bytes()); }

 private:
  void begin() override {
    copy_to_device(where_, images_[0].device(), job().start);
    windows_[0].write(0, std::span(job().start).subspan(job().first, job().count));
    windows_[0].to_device(work_);
  }
  std::uint64_t take_turn(unsigned turn) override {
    auto& window = windows_[(turn + 1) % 2];
    smooth(work_, image(turn % 2), image((turn + 1) % 2));
    window.to_host(work_);
    work_.wait(patience);
    const auto total = measure_and_mark(window.host(), turn);
    window.to_device(work_);
    return total;
  }
  [[nodiscard]] std::vector<pixel> end() override {
    std::vector<pixel> image(job().start.size());
    copy_to_host(where_, std::span(image), images_[turns % 2].device());
    std::ranges::copy(windows_[turns % 2].host(),
                      image.begin() + static_cast<std::ptrdiff_t>(job().first));
    return image;
  }
  [[nodiscard]] image_view image(std::size_t which) const {
    return {.pixels = images_[which].device(),
            .window = windows_[which].device(),
            .window_first = job().first};
  }

  device where_;
  stream work_;
  std::array<staged_buffer<pixel>, 2> images_;  // their host halves are never touched
  std::array<mapped_buffer<pixel>, 2> windows_;
};

// ---- trials ----------------------------------------------------------------------------------

std::string percent(double share) {
  std::string text = std::to_string(share);  // "0.100000"
  std::ranges::replace(text, ',', '.');      // in a comma locale
  text.erase(text.find_last_not_of('0') + 1);
  return (text.back() == '.' ? text.substr(0, text.size() - 1) : text) + " %";
}

std::unique_ptr<trial> make_trial(const settings& asked, std::uint64_t size, double share) {
  auto made = std::make_unique<trial>();
  const auto placements = placements_anywhere(asked);
  // Pinned: two images for each placement in host memory, two that are copied, and two windows.
  const auto images = 2 * pinned_among(placements) + 4;
  const std::uint64_t fits = fit_to_budget(size, images, made->notes);
  const auto job =
      std::make_shared<const alternate_job>(plain_job(fits / row_bytes, share, asked.seed));
  made->label = "the CPU looks at " + percent(share) + " of " + format_bytes(job->bytes());
  made->units = turns;
  made->unit = "turn";
  made->read_as = reading::time_per_unit;
  made->arms.push_back(std::make_unique<copying_pair>(asked.where, job));
  made->arms.push_back(std::make_unique<placed_pair>(asked.where, job, placement::staged));
  for (const placement how : placements) {
    made->arms.push_back(std::make_unique<placed_pair>(asked.where, job, how));
  }
  if (asked.wants(placement::mapped)) {
    made->arms.push_back(std::make_unique<windowed_pair>(asked.where, job));
  }
  return made;
}

std::uint64_t usual_size(const settings& asked) {
  return asked.where.kind() == device_kind::cpu && !asked.full ? 64 * row_bytes : 1000 * row_bytes;
}

std::vector<double> usual_shares(const settings& asked) {
  return asked.full ? std::vector<double>{0.1, 0.3, 1, 3, 10, 30, 100}
                    : std::vector<double>{0.1, 1, 10, 100};
}

class alternate_scenario final : public scenario {
 public:
  [[nodiscard]] std::string_view name() const override { return "alternate"; }
  [[nodiscard]] std::string_view summary() const override {
    return "CPU and GPU take turns: the GPU smooths an image, the CPU marks a region of it";
  }

  [[nodiscard]] std::vector<planned_trial> plan(const settings& asked) const override {
    const std::uint64_t size = asked_size(asked, name(), row_bytes).value_or(usual_size(asked));
    (void)placements_anywhere(asked);
    if (asked.share && !(*asked.share > 0 && *asked.share <= 100)) {
      pinhole::detail::reject("use --share " + percent(*asked.share),
                              "allowed is more than 0 % and at most 100 %");
    }
    std::vector<planned_trial> trials;
    for (const double share : asked.share ? std::vector{*asked.share} : usual_shares(asked)) {
      trials.push_back(
          {"the CPU looks at " + percent(share), [=] { return make_trial(asked, size, share); }});
    }
    return trials;
  }

  [[nodiscard]] std::vector<std::string> conclude(
      const std::vector<trial_result>& measured) const override {
    std::vector<std::string> lines;
    const auto compare = [&](const char* what, auto&& is_ours) {
      std::vector<contest> series;
      for (const auto& one : measured) {
        const auto ours = best_us(one, is_ours);
        const auto theirs =
            best_us(one, [](const arm_result& arm) { return arm.stands_for == role::expert_copy; });
        if (ours && theirs) {
          series.push_back({share_in(one.label), *ours, *theirs});
        }
      }
      if (!series.empty()) {
        lines.push_back("by the share that the CPU looks at: " +
                        who_wins(series, what, "copying the region"));
      }
    };
    compare(whole, [](const arm_result& one) {
      return one.stands_for == role::in_place && one.name != "mapped region";
    });
    compare(region_alone, [](const arm_result& one) { return one.name == "mapped region"; });
    return lines;
  }

 private:
  /// "1 %" of "the CPU looks at 1 % of 4 MiB".
  static std::string share_in(const std::string& label) {
    const std::string start = "the CPU looks at ";
    return label.substr(start.size(), label.find(" of ") - start.size());
  }
};

}  // namespace

const scenario& alternate() {
  static const alternate_scenario only;
  return only;
}

}  // namespace pinhole::scenarios
