// Things that were destroyed while the device could still use them.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

namespace pinhole {

/// Something whose release must wait for the device.
class retirable {
 public:
  virtual ~retirable() = default;
  /// Tries to release everything it holds: true when nothing is left, false while the device may
  /// still use it or where releasing is not permitted. Never throws, never blocks on queued work.
  virtual bool try_release() noexcept = 0;
};

/// One for each device. All members may be called from any thread.
class retire_list {
 public:
  void add(std::unique_ptr<retirable> unwanted) noexcept;
  /// Releases what can be released; returns how many remain.
  std::size_t collect() noexcept;
  [[nodiscard]] std::size_t size() const noexcept;

  /// While a kernel stays on the device, giving memory back would wait for it: buffers that are
  /// destroyed between hold() and let_go() come here without waiting, and stay. Calls may be
  /// nested.
  void hold() noexcept { holders_.fetch_add(1, std::memory_order_relaxed); }
  void let_go() noexcept { holders_.fetch_sub(1, std::memory_order_relaxed); }
  [[nodiscard]] bool is_held() const noexcept {
    return holders_.load(std::memory_order_relaxed) != 0;
  }

 private:
  std::atomic<unsigned> holders_{0};
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<retirable>> waiting_;
};

}  // namespace pinhole
