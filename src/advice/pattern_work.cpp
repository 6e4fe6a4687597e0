// Does the host's part of a pattern, and checks the device's.
#include "advice/pattern_work.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <span>

namespace pinhole::advice {

namespace {

/// How long one call may take; the largest take seconds.
constexpr std::chrono::seconds patience{60};

/// Shorter runs are stored word by word: a call of write() would cost more than they do.
constexpr std::uint32_t short_run_words = 16;

/// Reading all of millions over the link would take longer than everything that is measured.
constexpr std::uint32_t runs_to_check = 4096;

}  // namespace

pattern_work::pattern_work(const stream_ref& work, basic_buffer<std::uint32_t>& words,
                           const access_pattern& pattern, bool copies_runs, std::uint32_t key)
    : work_(work),
      words_(&words),
      pattern_(pattern),
      plan_(plan_of(pattern, key)),
      size_(pattern.bytes / sizeof(std::uint32_t)),
      copies_runs_(copies_runs),
      is_staged_(words.placed() == placement::staged),
      sums_(work.where(), blocks_for(work.where(), plan_)),
      content_(std::min<std::uint64_t>(content_period, plan_.run_words)),
      seen_(content_.size()) {
  make_content(0);
  host_writes();
  copy_up();
  work_.wait(patience);
}

void pattern_work::make_content(std::uint32_t tag) {
  for (std::size_t k = 0; k < content_.size(); ++k) {
    content_[k] = content_of(k, tag);
  }
}

/// visit(first word, words) for every `step`-th run, in parts that `content_` fills.
template <class Visit>
void pattern_work::for_each_part(Visit&& visit, std::uint32_t step) {
  for (std::uint32_t i = 0; i < plan_.runs.size(); i += step) {
    const std::size_t start = plan_.start_of(i);
    for (std::size_t k = 0; k < plan_.run_words; k += content_period) {
      visit(start + k, std::min<std::size_t>(content_period, plan_.run_words - k));
    }
  }
}

void pattern_work::host_writes() {
  if (plan_.run_words < short_run_words) {
    const auto words = words_->host();
    for_each_part([&](std::size_t first, std::size_t count) {
      std::copy_n(content_.begin(), count, words.begin() + static_cast<std::ptrdiff_t>(first));
    });
  } else {
    for_each_part([&](std::size_t first, std::size_t count) {
      words_->write(first, std::span(content_).first(count));
    });
  }
}

void pattern_work::host_reads(std::uint32_t most_runs) {
  const std::uint32_t step = (plan_.runs.size() - 1) / most_runs + 1;
  const std::uint32_t expected =
      plan_.writes ? content_of(0, plan_.tag) : content_of(0, tag_before_);
  if (plan_.run_words < short_run_words && words_->placed() != placement::vram) {
    const auto words = words_->host();
    for_each_part(
        [&](std::size_t first, std::size_t count) {
          std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(first), count, seen_.begin());
          wrong_words_ += seen_[0] == expected ? 0 : 1;
        },
        step);
  } else {
    for_each_part(
        [&](std::size_t first, std::size_t count) {
          words_->read(first, std::span(seen_).first(count));
          wrong_words_ += seen_[0] == expected ? 0 : 1;
        },
        step);
  }
}

void pattern_work::copy_up() {
  if (!copies_runs_) {
    words_->to_device(work_, 0, size_);
    return;
  }
  for (std::uint32_t i = 0; i < plan_.runs.size(); ++i) {
    words_->to_device(work_, plan_.start_of(i), plan_.run_words);
  }
}

void pattern_work::copy_down() {
  if (!copies_runs_) {
    words_->to_host(work_, 0, size_);
    return;
  }
  for (std::uint32_t i = 0; i < plan_.runs.size(); ++i) {
    words_->to_host(work_, plan_.start_of(i), plan_.run_words);
  }
}

void pattern_work::prepare() {
  ++calls_;
  wrong_words_ = 0;
  if (does_write(pattern_.host)) {
    tag_before_ = 2 * calls_;
    make_content(tag_before_);
  } else if (plan_.writes && calls_ > 1) {
    tag_before_ = plan_.tag;
  }
  plan_.tag = 2 * calls_ + 1;
}

void pattern_work::call() {
  const bool host_writes_now = does_write(pattern_.host);
  if (host_writes_now) {
    host_writes();
  }
  // Staged, a hand-over is a copy: only what the other side wants is worth one.
  if (!is_staged_ || host_writes_now) {
    copy_up();
  }
  sums_.to_device(work_);
  touch(work_, words_->device(), plan_, sums_.device());
  sums_.to_host(work_);
  if (!is_staged_ || (plan_.writes && does_read(pattern_.host))) {
    copy_down();
  }
  work_.wait(patience);
  if (does_read(pattern_.host)) {
    host_reads(plan_.runs.size());
  }
}

std::optional<std::string> pattern_work::check() {
  const auto sums = sums_.host();
  const std::uint64_t sum = std::accumulate(sums.begin(), sums.end(), std::uint64_t{0});
  if (const auto expected = sum_of(plan_, tag_before_); plan_.reads && sum != expected) {
    return "the kernel read " + std::to_string(sum) + " in all instead of " +
           std::to_string(expected);
  }
  if (is_staged_ && plan_.writes && !does_read(pattern_.host)) {
    copy_down();
    work_.wait(patience);
  }
  host_reads(runs_to_check);
  if (wrong_words_ != 0) {
    return "the host found " + std::to_string(wrong_words_) + " words that it did not expect";
  }
  return std::nullopt;
}

}  // namespace pinhole::advice
