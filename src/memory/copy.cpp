// Blocking copies.
#include "pinhole/memory/copy.hpp"

#include <string>

#include "pinhole/core/units.hpp"
#include "platform/platform.hpp"

namespace pinhole::detail {

void copy_now(const device& where, void* to, const void* from, std::size_t bytes, direction way) {
  if (bytes == 0) {
    return;
  }
  auto& driver = where.backend();
  const auto result = driver.copy_now(
      to, from, bytes,
      way == direction::to_device ? platform::copy_way::to_device : platform::copy_way::to_host);
  if (!result.ok()) {
    platform::require(driver, result, "copy " + format_bytes(bytes) + " on " + where.id());
  }
}

}  // namespace pinhole::detail
