// The heartbeat of this process, by which resident kernels know that their host is alive.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "signal/memory.hpp"

namespace pinhole::detail {

/// Counts up the word of every resident kernel that it was given, some milliseconds apart, on a
/// thread that is started when first needed and sleeps while there is none. When the process exits
/// without having stopped them, it asks all of them to end. Any thread may call any member.
class heart {
 public:
  /// The one of this process; a forked child has another.
  static heart& process();

  /// `word` is counted up until stop() or forget(), often enough for this limit.
  void beat(const polled_word& word, std::chrono::nanoseconds limit);
  /// Counts it up no more, and tells the kernel to end.
  void stop(const polled_word& word) noexcept;
  /// Counts it up no more.
  void forget(const polled_word& word) noexcept;

  heart(const heart&) = delete;             // one for the process
  heart& operator=(const heart&) = delete;  // one for the process

 private:
  struct beating {
    const polled_word* word;
    std::chrono::nanoseconds period;
    std::uint64_t count;
  };
  explicit heart(unsigned generation) noexcept : made_in_(generation) {}
  static void at_exit() noexcept;
  void run();
  void stop_all() noexcept;
  [[nodiscard]] std::chrono::nanoseconds shortest_period() const noexcept;

  unsigned made_in_;  // the fork generation
  std::mutex mutex_;  // guards what follows, and orders stop() after the last beat
  std::condition_variable changed_;
  std::vector<beating> all_;
  bool exiting_ = false;
  std::thread thread_;
};

}  // namespace pinhole::detail
