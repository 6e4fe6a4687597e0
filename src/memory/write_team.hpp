// Threads that help with large writes to VRAM.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace pinhole::detail {

/// The link takes writes of several CPU cores faster than those of one. The threads exist as long
/// as a buffer that asked for them; between writes they sleep, after a short time in which they
/// look for the next one. The caller always works too, so that a write is never slower for want of
/// a helper that the system has not woken yet.
class write_team {
 public:
  static constexpr unsigned most_threads = 4;  ///< with the caller; more add nothing on the link

  /// The process's team with at least `threads` threads, the caller counted; it lives as long as
  /// somebody holds it. Never more than the machine has cores.
  [[nodiscard]] static std::shared_ptr<write_team> with(unsigned threads);

  write_team() = default;
  ~write_team();
  write_team(const write_team&) = delete;             // owns threads
  write_team& operator=(const write_team&) = delete;  // owns threads

  /// As wc_write, by up to `threads` threads; alone while another thread's write is being helped
  /// with, and in a forked child.
  void write(std::byte* far, const std::byte* near, std::size_t bytes, unsigned threads) noexcept;

 private:
  struct job {
    std::byte* far;
    const std::byte* near;
    std::size_t bytes;
    std::size_t first_cut;  // where the second piece begins: at a line of the far side
    std::atomic<std::size_t> next{0};
  };
  static void work_on(job& now) noexcept;
  void grow(unsigned helpers);
  void help(unsigned number);
  [[nodiscard]] bool may_start(unsigned number, std::uint64_t seen) const noexcept;

  std::mutex mutex_;
  std::condition_variable start_;
  std::condition_variable done_;
  std::vector<std::thread> helpers_;
  job* job_ = nullptr;               // what is being written; null in between
  unsigned wanted_ = 0;              // helpers numbered below may join
  std::atomic<unsigned> active_{0};  // helpers at work
  std::atomic<std::uint64_t> round_{0};
  bool closing_ = false;
  unsigned made_in_ = 0;  // the fork generation
};

}  // namespace pinhole::detail
