// Buffers that wait for the device before they are freed.
#include "pinhole/platform/retire_list.hpp"

#include <new>
#include <utility>

namespace pinhole {

void retire_list::add(std::unique_ptr<retirable> unwanted) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    waiting_.push_back(std::move(unwanted));
  } catch (const std::bad_alloc&) {
    // Freeing what the device still writes to would corrupt memory; losing it only wastes some.
    static_cast<void>(unwanted.release());
  }
}

std::size_t retire_list::collect() noexcept {
  // Released outside of the lock: a release calls the driver, which may take long.
  std::vector<std::unique_ptr<retirable>> taken;
  {
    const std::lock_guard lock(mutex_);
    taken.swap(waiting_);
  }
  for (auto& one : taken) {
    if (one->try_release()) {
      one.reset();
    } else {
      add(std::move(one));
    }
  }
  return size();
}

std::size_t retire_list::size() const noexcept {
  const std::lock_guard lock(mutex_);
  return waiting_.size();
}

}  // namespace pinhole
