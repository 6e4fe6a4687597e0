// Creation and destruction of events.
#include "platform/event.hpp"

namespace pinhole::detail {

event::event(const device& owner) : where(owner) {
  platform::require(where.backend(), where.backend().create_event(&native),
                    "create an event on " + where.id());
}

event::~event() {
  auto& driver = where.backend();
  platform::report(driver, driver.destroy_event(native), "destroy an event");
}

}  // namespace pinhole::detail
