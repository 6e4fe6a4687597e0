// A host function that waits in the stream's order.
#include "tests/support/gate.hpp"

#include "platform/platform.hpp"

namespace pinhole::test {

gate::gate(const stream_ref& work) {
  auto& driver = work.where().backend();
  const auto wait = [held = state_] {
    std::unique_lock lock(held->mutex);
    held->changed.wait(lock, [&] { return held->is_open; });
  };
  platform::require(driver, driver.call_host(wait, work.native()), "close a gate");
}

void gate::open() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->is_open = true;
  }
  state_->changed.notify_all();
}

}  // namespace pinhole::test
