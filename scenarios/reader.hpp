// What the arms of `transfer` have in common: words that the host writes and a sum that it wants.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "scenarios/scenario.hpp"
#include "scenarios/sum_words.hpp"

namespace pinhole::scenarios {

/// One run: `passes` times, from words in host memory to their sum in host memory.
struct reading_job {
  word_pattern pattern;
  unsigned passes = 1;

  [[nodiscard]] std::uint64_t bytes() const noexcept {
    return pattern.words * sizeof(std::uint32_t);
  }
  /// What has to cross the link when only what is read does: lines of 32 bytes, or all.
  [[nodiscard]] std::uint64_t bytes_read() const noexcept;
};

/// An arm that reads words. The host writes all of them before the first run and some, among them
/// the first and the last that are read, before each other, so that yesterday's sum is wrong today.
class reader : public arm {
 public:
  reader(std::string name, role stands_for, const reading_job& job)
      : name_(std::move(name)), role_(stands_for), job_(job) {}

  [[nodiscard]] std::string name() const final { return name_; }
  [[nodiscard]] role stands_for() const final { return role_; }
  void prepare() final;
  [[nodiscard]] std::optional<std::string> check() final;

 protected:
  /// The host's words; called while the device is idle.
  [[nodiscard]] virtual std::span<std::uint32_t> host_words() = 0;
  /// What else lies outside the timing, once the words are written.
  virtual void after_writing() {}
  [[nodiscard]] const reading_job& job() const noexcept { return job_; }
  /// Takes one pass's sums of blocks.
  void take(std::span<const std::uint64_t> sums);

 private:
  void write(std::span<std::uint32_t> words);

  std::string name_;
  role role_;
  reading_job job_;
  std::uint32_t writes_ = 0;
  std::uint64_t total_ = 0;
};

#if !defined(PINHOLE_CPU_ONLY)
/// CUDA without the library: cudaHostAlloc, a kernel over bare pointers, cudaStreamSynchronize.
/// What it reads in a second is the peak of the device's multiprocessors. `job` reads every word, a
/// multiple of 4 of them.
[[nodiscard]] std::unique_ptr<arm> bare_reader(const device& gpu, const reading_job& job);
#endif

}  // namespace pinhole::scenarios
