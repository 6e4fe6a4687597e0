// Work in order on a thread, and blocks side by side.
#include "platform/cpu/cpu_stream.hpp"

#include <chrono>
#include <exception>
#include <set>
#include <utility>

namespace pinhole::platform {

namespace {

thread_local bool in_callback = false;

/// Text that lives as long as the process, as the names in a status must.
const char* keep_for_ever(const std::string& text) {
  static std::mutex mutex;
  static auto* const kept = new std::set<std::string>;
  const std::lock_guard lock(mutex);
  return kept->insert(text).first->c_str();
}

}  // namespace

bool inside_host_callback() noexcept {
  return in_callback;
}

block_team::~block_team() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  start_.notify_all();
  for (auto& thread : threads_) {
    thread.join();
  }
}

void block_team::run(unsigned blocks, const std::function<void(unsigned, unsigned)>& block) {
  if (blocks > 1) {
    const std::lock_guard lock(mutex_);
    while (threads_.size() + 1 < blocks) {
      const auto number = static_cast<unsigned>(threads_.size()) + 1;
      threads_.emplace_back([this, number] { work(number); });
    }
    block_ = &block;
    blocks_ = blocks;
    running_ = blocks - 1;
    ++round_;
    start_.notify_all();
  }
  std::exception_ptr mine;
  try {
    block(0, blocks);
  } catch (...) {
    mine = std::current_exception();
  }
  if (blocks > 1) {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return running_ == 0; });
    mine = mine ? mine : failed_;
    failed_ = nullptr;
  }
  if (mine) {
    std::rethrow_exception(mine);
  }
}

void block_team::work(unsigned number) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    start_.wait(lock, [&] { return closing_ || (round_ != seen && number < blocks_); });
    if (closing_) {
      return;
    }
    seen = round_;
    const auto* const block = block_;
    const unsigned blocks = blocks_;
    lock.unlock();
    std::exception_ptr failed;
    try {
      (*block)(number, blocks);
    } catch (...) {
      failed = std::current_exception();
    }
    lock.lock();
    failed_ = failed_ ? failed_ : failed;
    if (--running_ == 0) {
      done_.notify_one();
    }
  }
}

cpu_stream::cpu_stream(const cpu_options& options)
    : delay_us_(options.delay_us), random_(options.seed + 1), thread_([this] { run(); }) {}

cpu_stream::~cpu_stream() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void cpu_stream::enqueue(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
  }
  changed_.notify_one();
}

void cpu_stream::enqueue_blocks(const char* name, unsigned blocks,
                                std::function<void(unsigned, unsigned)> block) {
  enqueue([this, name, blocks, block = std::move(block)] {
    try {
      team_.run(blocks, block);
    } catch (const std::exception& thrown) {
      keep_failure(name, thrown.what());
    } catch (...) {
      keep_failure(name, "an exception of unknown type");
    }
  });
}

void cpu_stream::enqueue_callback(std::function<void()> callback) {
  enqueue([this, callback = std::move(callback)] {
    in_callback = true;
    try {
      callback();
    } catch (...) {
      keep_failure("host function", "an exception");
    }
    in_callback = false;
  });
}

status cpu_stream::query() {
  const std::lock_guard lock(mutex_);
  if (failure_) {
    const status result = *failure_;
    failure_.reset();
    return result;
  }
  if (busy_ || !queue_.empty()) {
    return {outcome::not_ready, "query_stream", "not ready"};
  }
  return {};
}

void cpu_stream::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return closing_ || !queue_.empty(); });
    if (queue_.empty()) {
      return;
    }
    auto work = std::move(queue_.front());
    queue_.pop_front();
    busy_ = true;
    lock.unlock();
    delay();
    work();
    work = nullptr;  // what it captured is gone before the stream counts as idle
    lock.lock();
    busy_ = false;
  }
}

void cpu_stream::delay() {
  if (delay_us_ > 0) {
    std::uniform_int_distribution<unsigned> up_to(0, delay_us_);
    std::this_thread::sleep_for(std::chrono::microseconds(up_to(random_)));
  }
}

void cpu_stream::keep_failure(const char* call, const std::string& what) {
  const status failed{outcome::failed, keep_for_ever(call), keep_for_ever(what)};
  const std::lock_guard lock(mutex_);
  failure_ = failure_ ? failure_ : failed;
}

}  // namespace pinhole::platform
