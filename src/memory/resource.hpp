// One thing that a primitive gave, and the primitive that takes it back.
#pragma once

#include <utility>

#include "platform/platform.hpp"
#include "platform/release.hpp"

namespace pinhole::detail {

/// Owns an address. Where releasing is not permitted now, it keeps the address and says so.
class resource {
 public:
  resource() noexcept = default;
  resource(platform::backend& from, void* address, releaser<void*> how, const char* asked) noexcept
      : from_(&from), address_(address), how_(how), asked_(asked) {}
  resource(resource&& other) noexcept
      : from_(other.from_),
        address_(std::exchange(other.address_, nullptr)),
        how_(other.how_),
        asked_(other.asked_) {}
  resource& operator=(resource&& other) noexcept {
    std::swap(from_, other.from_);
    std::swap(address_, other.address_);
    std::swap(how_, other.how_);
    std::swap(asked_, other.asked_);
    return *this;
  }
  ~resource() { release(); }

  /// True when nothing is held any more; see try_release() for what failures mean.
  bool release() noexcept {
    if (address_ == nullptr) {
      return true;
    }
    if (!detail::try_release(*from_, how_, address_, asked_)) {
      return false;
    }
    address_ = nullptr;
    return true;
  }

 private:
  platform::backend* from_ = nullptr;
  void* address_ = nullptr;
  releaser<void*> how_ = nullptr;
  const char* asked_ = "";
};

}  // namespace pinhole::detail
