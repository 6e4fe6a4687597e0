// Blocking copies.
#include "pinhole/memory/copy.hpp"

#include <string>

#include "pinhole/core/units.hpp"
#include "platform/platform.hpp"

namespace pinhole::detail {

namespace {

platform::copy_way platforms(direction way) noexcept {
  switch (way) {
    case direction::to_device:
      return platform::copy_way::to_device;
    case direction::send_to_device:
      return platform::copy_way::send_to_device;
    case direction::to_host:
      break;
  }
  return platform::copy_way::to_host;
}

}  // namespace

void copy_now(const device& where, void* to, const void* from, std::size_t bytes, direction way) {
  if (bytes == 0) {
    return;
  }
  auto& driver = where.backend();
  const auto result = driver.copy_now(to, from, bytes, platforms(way));
  if (!result.ok()) {
    platform::require(driver, result, "copy " + format_bytes(bytes) + " on " + where.id());
  }
}

}  // namespace pinhole::detail
