// What does it cost to make memory that both sides reach, next to one copy of as many bytes? It is
// paid once, so the program that pins anew for each piece of work pays too much.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "pinhole/core/error.hpp"
#include "pinhole/core/units.hpp"
#include "pinhole/memory/any_buffer.hpp"
#include "pinhole/memory/copy.hpp"
#include "pinhole/memory/mapped_buffer.hpp"
#include "pinhole/memory/pin_budget.hpp"
#include "pinhole/memory/registered_buffer.hpp"
#include "pinhole/memory/staged_buffer.hpp"
#include "scenarios/arms.hpp"
#include "scenarios/catalog.hpp"
#include "scenarios/crossover.hpp"
#include "scenarios/drawing.hpp"
#include "scenarios/sizes.hpp"
#include "scenarios/sum_words.hpp"

namespace pinhole::scenarios {

namespace {

constexpr std::uint64_t word = sizeof(std::uint32_t);
constexpr std::uint64_t page = 4_KiB;
constexpr unsigned most_runs = 20;  // of one arm, verifying and warming up included

// ---- arms ------------------------------------------------------------------------------------

class pinning_arm : public arm {
 public:
  pinning_arm(std::string name, role stands_for) : name_(std::move(name)), role_(stands_for) {}

  [[nodiscard]] std::string name() const final { return name_; }
  [[nodiscard]] role stands_for() const final { return role_; }

 private:
  std::string name_;
  role role_;
};

constexpr std::size_t words_of_page = page / word;

/// One word in each page, which shows whether all of them are there.
void write_pattern(std::span<std::uint32_t> words, std::uint64_t key) {
  for (std::size_t i = 0; i < words.size(); i += words_of_page) {
    words[i] = static_cast<std::uint32_t>(scramble(key + i));
  }
}

std::optional<std::string> first_difference(std::span<const std::uint32_t> words,
                                            std::uint64_t key) {
  for (std::size_t i = 0; i < words.size(); i += words_of_page) {
    if (const auto expected = static_cast<std::uint32_t>(scramble(key + i)); words[i] != expected) {
      return "word " + std::to_string(i) + ": expected " + std::to_string(expected) + ", got " +
             std::to_string(words[i]);
    }
  }
  return std::nullopt;
}

/// One copy to the device, as the measure: the article's from pageable memory, the expert's from
/// pinned memory.
class one_copy final : public pinning_arm {
 public:
  one_copy(const device& where, std::size_t words, host_memory from)
      : pinning_arm(from == host_memory::pageable ? "copy" : "expert copy",
                    from == host_memory::pageable ? role::naive_copy : role::expert_copy),
        from_(from),
        where_(where),
        work_(where),
        words_(where, words, {.host = from}) {}

  [[nodiscard]] traffic moved() const override {
    return {.to_device = words_.host().size_bytes(), .to_host = 0};
  }
  void prepare() override { write_pattern(words_.host(), ++runs_); }
  void run() override {
    if (from_ == host_memory::pageable) {
      send_to_device(where_, words_.device(), words_.host());
    } else {
      words_.to_device(work_);
      work_.wait(patience);
    }
  }
  [[nodiscard]] std::optional<std::string> check() override {
    std::vector<std::uint32_t> arrived(words_.size());
    copy_to_host(where_, std::span(arrived), words_.device());
    return first_difference(arrived, runs_);
  }

 private:
  host_memory from_;
  device where_;
  stream work_;
  staged_buffer<std::uint32_t> words_;
  std::uint64_t runs_ = 0;
};

struct free_memory {
  void operator()(void* memory) const noexcept { std::free(memory); }
};
using plain_memory = std::unique_ptr<std::uint32_t, free_memory>;

plain_memory allocate(std::size_t words) {
  plain_memory memory(static_cast<std::uint32_t*>(std::malloc(words * word)));
  if (!memory) {
    throw error({.kind = fault::out_of_memory,
                 .asked = "allocate " + format_bytes(words * word),
                 .call = "malloc",
                 .status = "no memory",
                 .remedy = {},
                 .sticky = false,
                 .survives = {}});
  }
  return memory;
}

/// What brings a page into memory.
void touch(std::span<std::uint32_t> words) {
  for (std::size_t i = 0; i < words.size(); i += words_of_page) {
    *static_cast<volatile std::uint32_t*>(&words[i]) = 0;
  }
}

enum class pages { untouched, touched };

/// malloc, and what it leaves for later: the first touch of each page.
class plain_allocation final : public pinning_arm {
 public:
  plain_allocation(std::size_t words, pages made)
      : pinning_arm(made == pages::touched ? "malloc, touch" : "malloc", role::bare),
        words_(words),
        made_(made) {}

  void prepare() override { memory_.reset(); }
  void run() override {
    memory_ = allocate(words_);
    if (made_ == pages::touched) {
      touch({memory_.get(), words_});
    }
  }
  [[nodiscard]] std::optional<std::string> check() override {
    const std::span words(memory_.get(), words_);
    write_pattern(words, words_);
    return first_difference(words, words_);
  }

 private:
  std::size_t words_;
  pages made_;
  plain_memory memory_;
};

/// A piece of memory that both sides reach; registered, it is the user's own, touched before.
struct shared_piece {
  plain_memory users;  // goes after the buffer that pins it
  std::optional<any_buffer<std::uint32_t>> buffer;
};

/// What the arms that pin have in common: how a piece is made, and whether both sides reach it.
class piece_arm : public pinning_arm {
 public:
  piece_arm(const device& where, placement how, std::size_t words, const char* what)
      : pinning_arm(std::string(to_string(how)) + ", " + what, role::in_place),
        where_(where),
        how_(how),
        pattern_{.words = words, .stride = words_of_page},
        work_(where),
        sums_(where, blocks_for(where, pattern_)) {}

  [[nodiscard]] std::optional<placement> placed() const final { return how_; }

 protected:
  /// What has to be there before a piece can be made.
  void provide(shared_piece& piece) const {
    if (how_ == placement::registered && !piece.users) {
      piece.users = allocate(pattern_.words);
      touch({piece.users.get(), pattern_.words});
    }
  }
  void make(shared_piece& piece) const {
    if (how_ == placement::registered) {
      piece.buffer.emplace(
          registered_buffer<std::uint32_t>(where_, std::span(piece.users.get(), pattern_.words)));
    } else {
      piece.buffer.emplace(make_buffer<std::uint32_t>(where_, pattern_.words, how_));
    }
  }

  /// The host writes into each page, a kernel adds up.
  std::optional<std::string> check_reach(shared_piece& piece) {
    auto& buffer = *piece.buffer;
    ++checks_;
    write_pattern(buffer.host(), checks_);
    buffer.to_device(work_);
    sum_words(work_, buffer.device(), pattern_, sums_.device());
    buffer.to_host(work_);
    sums_.to_host(work_);
    work_.wait(patience);
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < pattern_.words; i += words_of_page) {
      expected += static_cast<std::uint32_t>(scramble(checks_ + i));
    }
    const auto got = std::accumulate(sums_.host().begin(), sums_.host().end(), std::uint64_t{0});
    if (got == expected) {
      return std::nullopt;
    }
    return "sum of one word in each page, as the device sees them: expected " +
           std::to_string(expected) + ", got " + std::to_string(got);
  }

 private:
  device where_;
  placement how_;
  word_pattern pattern_;
  stream work_;
  mapped_buffer<std::uint64_t> sums_;
  std::uint64_t checks_ = 0;
};

/// Makes a piece while the earlier ones live on, so that nothing can be used again: the first time.
class new_piece final : public piece_arm {
 public:
  new_piece(const device& where, placement how, std::size_t words, std::size_t kept)
      : piece_arm(where, how, words, "first"), kept_(kept) {
    pieces_.reserve(kept);
  }
  void prepare() override {
    if (pieces_.size() == kept_) {
      pieces_.clear();
    }
    provide(pieces_.emplace_back());
  }
  void run() override { make(pieces_.back()); }
  [[nodiscard]] std::optional<std::string> check() override { return check_reach(pieces_.back()); }

 private:
  std::size_t kept_;
  std::vector<shared_piece> pieces_;
};

/// Makes what has been made and given back before.
class piece_again final : public piece_arm {
 public:
  piece_again(const device& where, placement how, std::size_t words)
      : piece_arm(where, how, words, "again") {
    provide(piece_);
    make(piece_);
  }
  void prepare() override { piece_.buffer.reset(); }
  void run() override { make(piece_); }
  [[nodiscard]] std::optional<std::string> check() override { return check_reach(piece_); }

 private:
  shared_piece piece_;
};

/// Gives a piece back.
class freed_piece final : public piece_arm {
 public:
  freed_piece(const device& where, placement how, std::size_t words)
      : piece_arm(where, how, words, "freed") {
    provide(piece_);
  }
  void prepare() override {
    pinned_before_ = pin_budget::process().in_use();
    make(piece_);
  }
  void run() override { piece_.buffer.reset(); }
  [[nodiscard]] std::optional<std::string> check() override {
    const auto pinned = pin_budget::process().in_use();
    if (pinned == pinned_before_) {
      return std::nullopt;
    }
    return "pinned memory: expected " + std::to_string(pinned_before_) + " B, as before, got " +
           std::to_string(pinned) + " B";
  }

 private:
  shared_piece piece_;
  std::uint64_t pinned_before_ = 0;
};

// ---- trials ----------------------------------------------------------------------------------

/// How many pieces of `size` an arm may keep beside what the trial holds anyway.
std::size_t kept_pieces(std::uint64_t size, std::size_t placements, unsigned copies) {
  constexpr std::uint64_t most_kept_bytes = 64_MiB;
  const auto& budget = pin_budget::process();
  const std::uint64_t taken = budget.in_use() + copies * size;
  const std::uint64_t room = budget.limit() > taken ? (budget.limit() - taken) / 2 : 0;
  const std::uint64_t fits = std::min(most_kept_bytes, room / placements) / (size + page);
  return static_cast<std::size_t>(std::clamp<std::uint64_t>(fits, 1, most_runs));
}

std::unique_ptr<trial> make_trial(const settings& asked, std::uint64_t size) {
  auto made = std::make_unique<trial>();
  const auto placements = placements_anywhere(asked);
  // One that is copied, and for each placement in host memory one in each of three arms.
  const auto copies = 1 + 3 * pinned_among(placements);
  const std::uint64_t fits = fit_to_budget(size, copies, made->notes);
  const std::size_t words = fits / word;
  made->label = format_bytes(fits);
  made->most_repeats = most_runs - 5;
  if (fits > 64_MiB) {  // a run takes up to a second, and none is like the first
    made->most_repeats = 3;
    made->checks_each_run = true;
  }
  made->arms.push_back(std::make_unique<one_copy>(asked.where, words, host_memory::pageable));
  made->arms.push_back(std::make_unique<one_copy>(asked.where, words, host_memory::pinned));
  made->arms.push_back(std::make_unique<plain_allocation>(words, pages::untouched));
  made->arms.push_back(std::make_unique<plain_allocation>(words, pages::touched));
  for (const placement how : placements) {
    made->arms.push_back(std::make_unique<new_piece>(asked.where, how, words,
                                                     kept_pieces(fits, placements.size(), copies)));
    made->arms.push_back(std::make_unique<piece_again>(asked.where, how, words));
    made->arms.push_back(std::make_unique<freed_piece>(asked.where, how, words));
  }
  return made;
}

std::vector<std::uint64_t> usual_sizes(const settings& asked) {
  return asked.full ? std::vector<std::uint64_t>{4_KiB, 64_KiB, 1_MiB, 16_MiB, 256_MiB, 1_GiB}
                    : std::vector<std::uint64_t>{4_KiB, 1_MiB, 16_MiB};
}

/// "3.2"; two significant digits are enough for a sentence.
std::string about(double number) {
  const double step = number >= 10 ? 1 : 10;
  const auto scaled = static_cast<std::uint64_t>(std::llround(number * step));
  return step == 1 ? std::to_string(scaled)
                   : std::to_string(scaled / 10) + "." + std::to_string(scaled % 10);
}

class pinning_scenario final : public scenario {
 public:
  [[nodiscard]] std::string_view name() const override { return "pinning"; }
  [[nodiscard]] std::string_view summary() const override {
    return "what it costs to allocate, pin, register and free memory, next to one copy of it";
  }

  [[nodiscard]] std::vector<planned_trial> plan(const settings& asked) const override {
    const auto chosen = asked_size(asked, name(), word);
    (void)placements_anywhere(asked);
    std::vector<planned_trial> trials;
    for (const std::uint64_t size : chosen ? std::vector{*chosen} : usual_sizes(asked)) {
      trials.push_back({format_bytes(size), [=] { return make_trial(asked, size); }});
    }
    return trials;
  }

  [[nodiscard]] std::vector<std::string> conclude(
      const std::vector<trial_result>& measured) const override {
    std::vector<std::string> lines;
    for (const auto& one : measured) {
      const auto named = [](const char* name) {
        return [=](const arm_result& arm) { return arm.name == name; };
      };
      const auto copy = best_us(one, named("copy"));
      const auto first = best_us(one, named("mapped, first"));
      const auto again = best_us(one, named("mapped, again"));
      if (copy && first && again && *copy > 0) {
        lines.push_back("pinning " + one.label + " costs as much as " + about(*first / *copy) +
                        " copies of it the first time, " + about(*again / *copy) + " copies again");
      }
    }
    return lines;
  }
};

}  // namespace

const scenario& pinning() {
  static const pinning_scenario only;
  return only;
}

}  // namespace pinhole::scenarios
