// Gives things back to the driver now or, where that is not permitted now, later.
#pragma once

#include <memory>
#include <new>

#include "pinhole/platform/retire_list.hpp"
#include "platform/device_state.hpp"
#include "platform/platform.hpp"

namespace pinhole::detail {

template <class Handle>
using releaser = platform::status (platform::backend::*)(Handle);

/// True when `what` is gone. A release that fails for another reason than permission is reported,
/// and counts as done: drivers report the failure of earlier work there.
template <class Handle>
bool try_release(platform::backend& from, releaser<Handle> how, Handle what,
                 const char* asked) noexcept {
  const auto result = (from.*how)(what);
  if (result.what == platform::outcome::not_permitted) {
    from.clear_last_error();
    return false;
  }
  platform::report(from, result, asked);
  return true;
}

/// For destructors, which may run inside a host callback: leaves `what` to the device's retire list
/// when it cannot be released now.
template <class Handle>
void release_or_retire(const device& where, releaser<Handle> how, Handle what,
                       const char* asked) noexcept {
  class later final : public retirable {
   public:
    later(platform::backend& from, releaser<Handle> how, Handle what, const char* asked) noexcept
        : from_(from), how_(how), what_(what), asked_(asked) {}
    bool try_release() noexcept override { return detail::try_release(from_, how_, what_, asked_); }

   private:
    platform::backend& from_;  // the list is the device's, and goes before its backend does
    releaser<Handle> how_;
    Handle what_;
    const char* asked_;
  };
  auto& driver = where.backend();
  if (!try_release(driver, how, what, asked)) {
    try {
      where.state().retired.add(std::make_unique<later>(driver, how, what, asked));
    } catch (const std::bad_alloc&) {  // lost, which only wastes memory
    }
  }
}

}  // namespace pinhole::detail
