// Creation and destruction of events.
#include "platform/event.hpp"

#include <new>

#include "platform/release.hpp"

namespace pinhole::detail {

event::event(const device& owner) : where(owner) {
  platform::require(where.backend(), where.backend().create_event(&native),
                    "create an event on " + where.id());
}

std::unique_ptr<event> event::try_make(const device& where, const char* asked) noexcept {
  auto& driver = where.backend();
  platform::native_event made = nullptr;
  if (!platform::report(driver, driver.create_event(&made), asked)) {
    return nullptr;
  }
  std::unique_ptr<event> owned(new (std::nothrow) event(where, made));
  if (!owned) {
    platform::report(driver, driver.destroy_event(made), asked);
  }
  return owned;
}

event::~event() {
  release_or_retire(where, &platform::backend::destroy_event, native, "destroy an event");
}

}  // namespace pinhole::detail
