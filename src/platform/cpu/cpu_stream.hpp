// A stream of the CPU device: a thread that runs queued work later and in order.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "platform/platform.hpp"

namespace pinhole::platform {

/// True on the calling thread while it runs a host function that was queued on a stream.
[[nodiscard]] bool inside_host_callback() noexcept;

/// Threads that run one function at the same time, one block each, as a grid of resident blocks
/// would. They are made when first needed and kept.
class block_team {
 public:
  ~block_team();
  /// Runs block(0) on the calling thread and the others on the team's; returns when all are done,
  /// throwing what the first of them threw.
  void run(unsigned blocks, const std::function<void(unsigned, unsigned)>& block);

 private:
  void work(unsigned block);
  std::mutex mutex_;
  std::condition_variable start_;
  std::condition_variable done_;
  std::vector<std::thread> threads_;
  const std::function<void(unsigned, unsigned)>* block_ = nullptr;
  unsigned blocks_ = 0;
  unsigned running_ = 0;
  std::uint64_t round_ = 0;
  std::exception_ptr failed_;
  bool closing_ = false;
};

class cpu_stream {
 public:
  explicit cpu_stream(const cpu_options& options);
  /// Finishes the queue.
  ~cpu_stream();
  cpu_stream(const cpu_stream&) = delete;
  cpu_stream& operator=(const cpu_stream&) = delete;

  void enqueue(std::function<void()> work);
  void enqueue_blocks(const char* name, unsigned blocks,
                      std::function<void(unsigned, unsigned)> block);
  void enqueue_callback(std::function<void()> callback);

  /// As backend::query_stream. A failure is reported once.
  status query();

 private:
  void run();
  void delay();
  void keep_failure(const char* call, const std::string& what);

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  bool busy_ = false;
  bool closing_ = false;
  std::optional<status> failure_;

  unsigned delay_us_;
  std::minstd_rand random_;
  block_team team_;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace pinhole::platform
