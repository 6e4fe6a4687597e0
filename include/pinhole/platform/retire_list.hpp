// Things that were destroyed while the device could still use them.
#pragma once

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

 private:
  mutable std::mutex mutex_;
  std::vector<std::unique_ptr<retirable>> waiting_;
};

}  // namespace pinhole
