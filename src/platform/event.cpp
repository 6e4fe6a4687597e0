// Creation and destruction of events.
#include "platform/event.hpp"

#include "platform/release.hpp"

namespace pinhole::detail {

event::event(const device& owner) : where(owner) {
  platform::require(where.backend(), where.backend().create_event(&native),
                    "create an event on " + where.id());
}

event::~event() {
  release_or_retire(where, &platform::backend::destroy_event, native, "destroy an event");
}

}  // namespace pinhole::detail
