// One thread that counts.
#include "signal/heart.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "pinhole/signal/watch.hpp"
#include "platform/linux/host_memory.hpp"

namespace pinhole::detail {

namespace {

/// Never destroyed: residents with static storage may outlive it otherwise.
std::atomic<heart*> current{nullptr};

}  // namespace

heart& heart::process() {
  const unsigned generation = platform::fork_generation();
  heart* known = current.load(std::memory_order_acquire);
  while (known == nullptr || known->made_in_ != generation) {
    auto* const made = new heart(generation);
    if (current.compare_exchange_strong(known, made, std::memory_order_acq_rel)) {
      std::atexit([] { at_exit(); });  // runs before the driver's own, which was set up earlier
      return *made;
    }
    delete made;
  }
  return *known;
}

void heart::beat(const polled_word& word, std::chrono::nanoseconds limit) {
  using namespace std::chrono_literals;
  const std::lock_guard lock(mutex_);
  all_.push_back({&word, std::clamp<std::chrono::nanoseconds>(limit / 8, 100us, 5ms), 0});
  if (!thread_.joinable() && !exiting_) {
    thread_ = std::thread([this] { run(); });
  }
  changed_.notify_one();
}

void heart::forget(const polled_word& word) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase_if(all_, [&](const beating& one) { return one.word == &word; });
}

void heart::stop(const polled_word& word) noexcept {
  forget(word);
  word.store(kernel::life_line::stop);
}

std::chrono::nanoseconds heart::shortest_period() const noexcept {
  return std::ranges::min(all_, {}, &beating::period).period;
}

void heart::run() {
  std::unique_lock lock(mutex_);
  while (!exiting_) {
    if (all_.empty()) {
      changed_.wait(lock);
      continue;
    }
    for (auto& one : all_) {
      one.word->store(++one.count);
    }
    changed_.wait_for(lock, shortest_period());
  }
}

void heart::stop_all() noexcept {
  const std::lock_guard lock(mutex_);
  for (const auto& one : all_) {
    one.word->store(kernel::life_line::stop);
  }
  all_.clear();
  exiting_ = true;
  changed_.notify_one();
}

void heart::at_exit() noexcept {
  heart* const mine = current.load(std::memory_order_acquire);
  if (mine == nullptr || mine->made_in_ != platform::fork_generation()) {
    return;  // a forked child: the kernels are the parent's
  }
  mine->stop_all();
  if (mine->thread_.joinable()) {
    mine->thread_.join();
  }
}

}  // namespace pinhole::detail
