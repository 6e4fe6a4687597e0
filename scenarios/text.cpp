// Misspelled words of a real text are repaired: a kernel reads all of it and changes a few bytes.
#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "pinhole/core/error.hpp"
#include "pinhole/core/units.hpp"
#include "pinhole/memory/any_buffer.hpp"
#include "pinhole/memory/copy.hpp"
#include "pinhole/memory/staged_buffer.hpp"
#include "scenarios/arms.hpp"
#include "scenarios/book.hpp"
#include "scenarios/catalog.hpp"
#include "scenarios/dictionary.hpp"
#include "scenarios/repair.hpp"
#include "scenarios/sizes.hpp"

namespace pinhole::scenarios {

namespace {

constexpr std::uint64_t usual_size = 2_MiB;
constexpr std::uint64_t full_size = 16_MiB;
constexpr unsigned substituted_letters = 5;

/// What the arms of a trial share.
struct repair_job {
  book text;
  dictionary words;
};
using shared_job = std::shared_ptr<const repair_job>;

// ---- arms ------------------------------------------------------------------------------------

class text_arm : public arm {
 public:
  text_arm(std::string name, role stands_for, shared_job job)
      : name_(std::move(name)), role_(stands_for), job_(std::move(job)) {}

  [[nodiscard]] std::string name() const final { return name_; }
  [[nodiscard]] role stands_for() const final { return role_; }
  void prepare() override { std::ranges::copy(book_text().damaged, host_text().begin()); }
  [[nodiscard]] std::optional<std::string> check() final {
    return book_text().first_difference({host_text().data(), host_text().size()});
  }

 protected:
  /// The host's text; called while the device is idle.
  [[nodiscard]] virtual std::span<char> host_text() = 0;
  [[nodiscard]] const book& book_text() const { return job_->text; }
  [[nodiscard]] dictionary_view words() const { return job_->words.on_device(); }

 private:
  std::string name_;
  role role_;
  shared_job job_;
};

/// The article's way: the whole text is copied up and back.
class copying_repairer final : public text_arm {
 public:
  copying_repairer(const device& where, const shared_job& job)
      : text_arm("copy", role::naive_copy, job),
        where_(where),
        text_(where, job->text.damaged.size(), {.host = host_memory::pageable}),
        work_(where) {}

  [[nodiscard]] traffic moved() const override {
    return {.to_device = text_.size(), .to_host = text_.size()};
  }

  void run() override {
    send_to_device(where_, text_.device(), text_.host());
    repair(work_, text_.device(), words(), {.in_place = text_.device(), .list = {}});
    work_.before_copy();
    copy_to_host(where_, text_.host(), text_.device());
  }

 private:
  [[nodiscard]] std::span<char> host_text() override { return text_.host(); }

  device where_;
  staged_buffer<char> text_;
  default_stream work_;
};

/// The expert's way: the text goes up from pinned memory, the kernel makes a list of repairs, and
/// the host copies the list and applies it. One copy brings the count with as many repairs as there
/// usually are; only a text with more takes a second one. In VRAM, which the CPU should not read,
/// it is done in the same way, with the CPU's own writes in place of the copy up.
class listing_repairer final : public text_arm {
 public:
  listing_repairer(const device& where, const shared_job& job, placement how)
      : text_arm(how == placement::staged ? "expert copy" : std::string(to_string(how)),
                 how == placement::staged ? role::expert_copy : role::in_place, job),
        work_(where),
        source_(how == placement::vram ? job->text.damaged.size() : 0),
        text_(make_buffer<char>(where, job->text.damaged.size(), how)),
        list_(where, 2 + job->text.damaged.size() / 2) {}

  [[nodiscard]] std::optional<placement> placed() const override { return text_.placed(); }
  [[nodiscard]] traffic moved() const override {
    return {.to_device = text_.size(),
            .to_host = std::max(first_part(), 1 + book_text().repairs) * sizeof(edit)};
  }

  void prepare() override {
    text_arm::prepare();
    list_.host()[0] = {};
    list_.to_device(work_, 0, 1);
    work_.wait(patience);
  }

  void run() override {
    text_.write(0, source_);
    text_.to_device(work_);
    repair(work_, text_.device(), words(), {.in_place = {}, .list = list_.device()});
    list_.to_host(work_, 0, first_part());
    work_.wait(patience);
    const std::size_t entries = 1 + std::size_t{list_.host()[0].position};
    if (entries > first_part()) {
      list_.to_host(work_, first_part(), entries - first_part());
      work_.wait(patience);
    }
    for (const edit& change : list_.host().subspan(1, entries - 1)) {
      host_text()[change.position] = change.letter;
    }
  }

 private:
  [[nodiscard]] std::span<char> host_text() override {
    return source_.empty() ? text_.host() : source_;
  }
  [[nodiscard]] std::size_t first_part() const { return std::min<std::size_t>(4096, list_.size()); }

  stream work_;               // outlives the buffers that are handed over on it
  std::vector<char> source_;  ///< the host's text where the buffer is not in its memory
  any_buffer<char> text_;
  staged_buffer<edit> list_;
};

/// The kernel reads the host's text where it is and writes the repaired letters into it.
class in_place_repairer final : public text_arm {
 public:
  in_place_repairer(const device& where, const shared_job& job, placement how)
      : text_arm(std::string(to_string(how)), role::in_place, job),
        work_(where),
        text_(make_buffer<char>(where, job->text.damaged.size(), how)) {}

  [[nodiscard]] std::optional<placement> placed() const override { return text_.placed(); }
  [[nodiscard]] traffic moved() const override {
    return {.to_device = text_.size(), .to_host = book_text().repairs};
  }

  void run() override {
    text_.to_device(work_);
    repair(work_, text_.device(), words(), {.in_place = text_.device(), .list = {}});
    text_.to_host(work_);
    work_.wait(patience);
  }

 private:
  [[nodiscard]] std::span<char> host_text() override { return text_.host(); }

  stream work_;  // outlives the buffer that is handed over on it
  any_buffer<char> text_;
};

// ---- trials ----------------------------------------------------------------------------------

/// Bytes of pinned memory for each byte of text: the placements' texts, the expert's, and the two
/// lists.
unsigned pinned_copies(const settings& asked) {
  return pinned_among(placements_anywhere(asked)) + 1 + static_cast<unsigned>(sizeof(edit));
}

std::string describe(const book& text, const book_sources& from, unsigned substituted) {
  return std::to_string(substituted) + " letters were substituted; " +
         std::to_string(text.unlisted) + " words are not among the " +
         std::to_string(from.words.size()) + " listed ones, " + std::to_string(text.repairs) +
         " of them are one letter away from exactly one";
}

std::unique_ptr<trial> make_trial(const settings& asked, const book_sources& from,
                                  std::uint64_t size) {
  auto made = std::make_unique<trial>();
  const std::uint64_t fits = fit_to_budget(size, pinned_copies(asked), made->notes);
  std::string text = repeated(from.text, fits);
  const unsigned substituted =
      from.is_default_text ? damage(text, substituted_letters, asked.seed) : 0;
  const auto job = std::make_shared<const repair_job>(
      repair_job{repair_plainly(std::move(text), from.words), dictionary(asked.where, from.words)});
  made->label = "a book of " + format_bytes(fits);
  made->unit = "book";
  made->read_as = reading::rate;
  made->notes.push_back(describe(job->text, from, substituted));
  made->arms.push_back(std::make_unique<copying_repairer>(asked.where, job));
  made->arms.push_back(std::make_unique<listing_repairer>(asked.where, job, placement::staged));
  for (const placement how : placements_anywhere(asked)) {
    if (how == placement::vram) {
      made->arms.push_back(std::make_unique<listing_repairer>(asked.where, job, how));
    } else {
      made->arms.push_back(std::make_unique<in_place_repairer>(asked.where, job, how));
    }
  }
  return made;
}

class text_scenario final : public scenario {
 public:
  [[nodiscard]] std::string_view name() const override { return "text"; }
  [[nodiscard]] std::string_view summary() const override {
    return "misspelled words of a text are found and repaired; only changed bytes need to cross "
           "back";
  }

  [[nodiscard]] std::vector<planned_trial> plan(const settings& asked) const override {
    const auto chosen = asked_size(asked, name(), 1);
    (void)placements_anywhere(asked);
    const auto from = std::make_shared<const book_sources>(read_book_sources(asked));
    std::vector<std::uint64_t> sizes = {usual_size};
    if (chosen) {
      sizes = {*chosen};
    } else if (!from->is_default_text) {
      sizes = {from->text.size()};
    } else if (asked.full) {
      sizes.push_back(full_size);
    }
    if (sizes.front() > std::numeric_limits<std::uint32_t>::max()) {
      pinhole::detail::reject(
          "use " + (chosen ? "--size " + std::to_string(*chosen) : "--text " + asked.text_file),
          "a text has less than 4 GiB");
    }
    std::vector<planned_trial> trials;
    for (const std::uint64_t size : sizes) {
      trials.push_back(
          {"a book of " + format_bytes(size), [=] { return make_trial(asked, *from, size); }});
    }
    return trials;
  }
};

}  // namespace

const scenario& text() {
  static const text_scenario only;
  return only;
}

}  // namespace pinhole::scenarios
