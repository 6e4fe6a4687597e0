// Releases device memory when the work before its mark is done.
#include "access/device_scratch.hpp"

#include <utility>

#include "pinhole/core/units.hpp"
#include "platform/platform.hpp"

namespace pinhole::detail {

device_scratch::device_scratch(const device& where, std::size_t bytes, const char* what)
    : mark(where) {
  void* memory = nullptr;
  auto& driver = where.backend();
  platform::require(driver, driver.allocate_device(bytes, &memory),
                    "allocate " + format_bytes(bytes) + " " + what + " on " + where.id());
  data_ = static_cast<std::byte*>(memory);
  memory_ = resource(driver, memory, &platform::backend::free_device, "free device memory");
}

bool device_scratch::try_release() noexcept {
  auto& driver = mark.where.backend();
  const auto now = driver.query_event(mark.native);
  if (!now.ok()) {
    driver.clear_last_error();
  }
  const bool may_be_used =
      now.what == platform::outcome::not_ready || now.what == platform::outcome::not_permitted;
  return !may_be_used && memory_.release();
}

void retire_scratch(const device& where, std::unique_ptr<device_scratch> scratch) noexcept {
  auto& retired = where.state().retired;
  if (scratch && (retired.is_held() || !scratch->try_release())) {
    retired.add(std::move(scratch));
  }
}

}  // namespace pinhole::detail
