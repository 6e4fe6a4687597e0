// The article's benchmark, with a kernel that really reads the array: what does it take to bring
// the host's words to the device and a result back?
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "pinhole/core/units.hpp"
#include "pinhole/memory/any_buffer.hpp"
#include "pinhole/memory/copy.hpp"
#include "pinhole/memory/mapped_buffer.hpp"
#include "pinhole/memory/staged_buffer.hpp"
#include "scenarios/arms.hpp"
#include "scenarios/catalog.hpp"
#include "scenarios/crossover.hpp"
#include "scenarios/reader.hpp"
#include "scenarios/sizes.hpp"

namespace pinhole::scenarios {

namespace {

constexpr std::size_t word = sizeof(std::uint32_t);
constexpr std::size_t article_floats = 1U << 20U;

// ---- arms ------------------------------------------------------------------------------------

/// The article's way: copy all of a pageable array, launch, copy the result.
class copying_reader final : public reader {
 public:
  copying_reader(const device& where, const reading_job& job)
      : reader("copy", role::naive_copy, job),
        where_(where),
        words_(where, job.pattern.words, {.host = host_memory::pageable}),
        sums_(where, blocks_for(where, job.pattern), {.host = host_memory::pageable}),
        work_(where) {}

  [[nodiscard]] traffic moved() const override {
    return {.to_device = job().passes * job().bytes(),
            .to_host = job().passes * sums_.host().size_bytes()};
  }

  void run() override {
    for (unsigned pass = 0; pass < job().passes; ++pass) {
      send_to_device(where_, words_.device(), words_.host());
      sum_words(work_, words_.device(), job().pattern, sums_.device());
      work_.before_copy();
      copy_to_host(where_, sums_.host(), sums_.device());
      take(sums_.host());
    }
  }

 private:
  [[nodiscard]] std::span<std::uint32_t> host_words() override { return words_.host(); }

  device where_;
  staged_buffer<std::uint32_t> words_;
  staged_buffer<std::uint64_t> sums_;
  default_stream work_;
};

/// The same work over any placement. Staged, it is the expert's copy: pinned, asynchronous, with
/// one wait, and a result that the kernel writes straight into host memory.
class placed_reader final : public reader {
 public:
  placed_reader(const device& where, const reading_job& job, placement how)
      : reader(how == placement::staged ? "expert copy" : std::string(to_string(how)),
               how == placement::staged ? role::expert_copy : role::in_place, job),
        work_(where),
        source_(how == placement::vram ? job.pattern.words : 0),
        words_(make_buffer<std::uint32_t>(where, job.pattern.words, how)),
        sums_(where, blocks_for(where, job.pattern)) {}

  [[nodiscard]] std::optional<placement> placed() const override { return words_.placed(); }
  [[nodiscard]] traffic moved() const override {
    const bool copied = words_.placed() == placement::staged || !source_.empty();
    return {.to_device = job().passes * (copied ? job().bytes() : job().bytes_read()),
            .to_host = job().passes * sums_.host().size_bytes()};
  }

  void run() override {
    for (unsigned pass = 0; pass < job().passes; ++pass) {
      words_.write(0, source_);
      words_.to_device(work_);
      sums_.to_device(work_);
      sum_words(work_, words_.device(), job().pattern, sums_.device());
      sums_.to_host(work_);
      work_.wait(patience);  // the words were only read, so the host has them back as they were
      take(sums_.host());
    }
  }

 private:
  [[nodiscard]] std::span<std::uint32_t> host_words() override {
    return source_.empty() ? words_.host() : source_;
  }

  stream work_;                        // outlives the buffers that are handed over on it
  std::vector<std::uint32_t> source_;  ///< the host's words where the buffer is not in its memory
  any_buffer<std::uint32_t> words_;
  mapped_buffer<std::uint64_t> sums_;
};

/// What the article calls zero-copy, to the letter: the first four bytes of a mapped array are
/// copied onto themselves, and no kernel reads the array.
class article_reader final : public reader {
 public:
  article_reader(const device& where, const reading_job& job)
      : reader("article's zero-copy", role::pitfall, job),
        where_(where),
        words_(where, job.pattern.words) {}

  [[nodiscard]] traffic moved() const override {
    return {.to_device = job().passes * word, .to_host = job().passes * word};
  }
  void run() override {
    for (unsigned pass = 0; pass < job().passes; ++pass) {
      send_to_device(where_, words_.device().subview(0, 1), words_.host().first(1));
    }
  }

 private:
  [[nodiscard]] std::span<std::uint32_t> host_words() override { return words_.host(); }

  device where_;
  mapped_buffer<std::uint32_t> words_;
};

/// The kernel alone, over words that the device has already, through a view or a bare pointer.
enum class handle { a_view, a_bare_pointer };

class resident_reader final : public reader {
 public:
  resident_reader(const device& where, const reading_job& job, handle through)
      : reader(through == handle::a_view ? "view" : "bare pointer",
               through == handle::a_view ? role::in_place : role::bare, job),
        through_(through),
        work_(where),
        words_(where, job.pattern.words, {.host = host_memory::pageable}),
        sums_(where, blocks_for(where, job.pattern)) {}

  void run() override {
    if (through_ == handle::a_view) {
      sum_words(work_, words_.device(), job().pattern, sums_.device());
    } else {
      sum_words_bare(work_, words_.device().data(), job().pattern, sums_.device().data());
    }
    work_.wait(patience);
    take(sums_.host());
  }

 private:
  [[nodiscard]] std::span<std::uint32_t> host_words() override { return words_.host(); }
  void after_writing() override {
    words_.to_device(work_);
    work_.wait(patience);
  }

  handle through_;
  stream work_;
  staged_buffer<std::uint32_t> words_;
  mapped_buffer<std::uint64_t> sums_;
};

// ---- trials ----------------------------------------------------------------------------------

constexpr std::size_t every_element = 1;
constexpr std::size_t one_in_a_line = 128 / word;
constexpr std::size_t one_in_a_page = 4_KiB / word;

std::string text_of(std::size_t stride) {
  return stride == every_element ? "every element" : "one word in " + format_bytes(stride * word);
}

/// Everything that reads `job` from the host's memory.
std::vector<std::unique_ptr<arm>> arms_for(const settings& asked, const reading_job& job) {
  std::vector<std::unique_ptr<arm>> arms;
  arms.push_back(std::make_unique<copying_reader>(asked.where, job));
  arms.push_back(std::make_unique<placed_reader>(asked.where, job, placement::staged));
  for (const placement how : placements_anywhere(asked)) {
    arms.push_back(std::make_unique<placed_reader>(asked.where, job, how));
  }
#if !defined(PINHOLE_CPU_ONLY)
  if (asked.where.kind() == device_kind::cuda && job.pattern.stride == every_element &&
      job.pattern.words % 4 == 0) {
    arms.push_back(bare_reader(asked.where, job));
  }
#endif
  return arms;
}

/// Pinned arrays that a trial holds at once: staged, each placement, and the bare or the article's.
unsigned pinned_copies(const settings& asked) {
  return pinned_among(placements_anywhere(asked)) + 3;
}

std::unique_ptr<trial> make_size_trial(const settings& asked, std::uint64_t size,
                                       std::size_t stride) {
  auto made = std::make_unique<trial>();
  const std::uint64_t fits = fit_to_budget(size, pinned_copies(asked), made->notes);
  const reading_job job{.pattern = {.words = fits / word, .stride = stride}, .passes = 1};
  made->label = format_bytes(fits) + ", " + text_of(stride);
  made->units = static_cast<double>(job.bytes());
  made->unit = "B";
  made->read_as = stride == every_element ? reading::rate : reading::time;
  if (stride != every_element) {
    made->notes.push_back("in place, only what is read crosses: " +
                          std::to_string(job.pattern.reads()) + " reads of 32 B");
  }
  made->arms = arms_for(asked, job);
  return made;
}

unsigned article_passes(const settings& asked) {
  const bool on_cpu = asked.where.kind() == device_kind::cpu;
  return asked.full ? 1000 : on_cpu ? 10 : 100;
}

std::unique_ptr<trial> make_article_trial(const settings& asked) {
  auto made = std::make_unique<trial>();
  const std::uint64_t fits =
      fit_to_budget(article_floats * word, pinned_copies(asked), made->notes);
  const reading_job job{.pattern = {.words = fits / word, .stride = every_element},
                        .passes = article_passes(asked)};
  made->label = "the article: 1M floats, " + std::to_string(job.passes) + " passes";
  made->units = job.passes;
  made->unit = "pass";
  made->read_as = reading::time_per_unit;
  made->notes.emplace_back(
      "the 25-36x that the article prints is no transfer: its zero-copy arm (the pitfall here) "
      "copies "
      "4 bytes onto themselves, and no kernel reads the array; all other arms read every element");
  if (!asked.full) {
    made->notes.emplace_back("--full runs the article's 1000 passes");
  }
  made->arms = arms_for(asked, job);
  made->arms.push_back(std::make_unique<article_reader>(asked.where, job));
  return made;
}

std::unique_ptr<trial> make_view_trial(const settings& asked, std::uint64_t size) {
  auto made = std::make_unique<trial>();
  const reading_job job{.pattern = {.words = size / word, .stride = every_element}, .passes = 1};
  made->label = "cost of a view, " + format_bytes(size) + " on the device";
  made->units = static_cast<double>(size);
  made->unit = "B";
  made->read_as = reading::rate;
  made->notes.emplace_back("one kernel over device memory, given a view or a bare pointer");
  made->arms.push_back(std::make_unique<resident_reader>(asked.where, job, handle::a_view));
  made->arms.push_back(std::make_unique<resident_reader>(asked.where, job, handle::a_bare_pointer));
  return made;
}

/// The sizes of a run without --size. The CPU device copies at the rate of one core.
std::vector<std::uint64_t> usual_sizes(const settings& asked) {
  if (!asked.full) {
    const bool on_cpu = asked.where.kind() == device_kind::cpu;
    return {word, 16_KiB, 1_MiB, on_cpu ? 16_MiB : 256_MiB};
  }
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = word; size <= 256_MiB; size *= 4) {
    sizes.push_back(size);
  }
  return sizes;
}

/// Strides that read at least twice, else they say nothing that another trial does not say.
std::vector<std::size_t> strides_for(const settings& asked, std::uint64_t size, bool largest) {
  std::vector<std::size_t> strides = {every_element};
  for (const std::size_t stride : {one_in_a_line, one_in_a_page}) {
    const bool shown = asked.full || (largest && stride == one_in_a_page);
    if (shown && size >= 2 * stride * word) {
      strides.push_back(stride);
    }
  }
  return strides;
}

// ---- conclusion ------------------------------------------------------------------------------

/// Who is faster at which size, of the trials that read in this pattern: the expert's copy, or the
/// fastest of the arms that are `ours`.
std::string crossover(const std::vector<trial_result>& measured, const std::string& pattern,
                      const std::string& name, bool (*ours)(const arm_result&)) {
  std::vector<contest> sizes;
  for (const auto& one : measured) {
    const auto mine = best_us(one, ours);
    const auto expert =
        best_us(one, [](const arm_result& arm) { return arm.stands_for == role::expert_copy; });
    if (one.label.ends_with(", " + pattern) && mine && expert) {
      sizes.push_back({one.label.substr(0, one.label.find(',')), *mine, *expert});
    }
  }
  const auto sentence = who_wins(sizes, name, "the expert copy");
  return sentence.empty() ? sentence : pattern + ": " + sentence;
}

bool is_in_place(const arm_result& arm) {
  return arm.stands_for == role::in_place;
}
bool is_in_vram(const arm_result& arm) {
  return arm.placed == placement::vram;
}

// ---- scenario --------------------------------------------------------------------------------

class transfer_scenario final : public scenario {
 public:
  [[nodiscard]] std::string_view name() const override { return "transfer"; }
  [[nodiscard]] std::string_view summary() const override {
    return "words that the host wrote are read by a kernel, 4 B to 256 MiB; the article's "
           "benchmark";
  }

  [[nodiscard]] std::vector<planned_trial> plan(const settings& asked) const override {
    const auto chosen = asked_size(asked, name(), word);
    (void)placements_anywhere(asked);
    const auto sizes = chosen ? std::vector{*chosen} : usual_sizes(asked);
    std::vector<planned_trial> trials;
    if (!chosen) {
      trials.push_back({"the article", [asked] { return make_article_trial(asked); }});
    }
    for (const std::uint64_t size : sizes) {
      for (const std::size_t stride : strides_for(asked, size, size == sizes.back())) {
        trials.push_back({format_bytes(size) + ", " + text_of(stride),
                          [=] { return make_size_trial(asked, size, stride); }});
      }
    }
    if (!chosen) {
      trials.push_back(
          {"cost of a view", [asked, sizes] { return make_view_trial(asked, sizes.back()); }});
    }
    return trials;
  }

  [[nodiscard]] std::vector<std::string> conclude(
      const std::vector<trial_result>& measured) const override {
    std::vector<std::string> lines;
    for (const std::size_t stride : {every_element, one_in_a_line, one_in_a_page}) {
      lines.push_back(crossover(measured, text_of(stride), "in place", is_in_place));
    }
    lines.push_back(
        crossover(measured, text_of(every_element), "the CPU writing VRAM", is_in_vram));
    std::erase(lines, "");
    return lines;
  }
};

}  // namespace

const scenario& transfer() {
  static const transfer_scenario only;
  return only;
}

}  // namespace pinhole::scenarios
