// On which devices the conformance and fault tests run. Each program defines its own.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "platform/platform.hpp"

namespace pinhole::test {

struct device_case {
  std::string name;  ///< letters, digits and '_'
  std::string id;    ///< as device::id()
  std::function<std::shared_ptr<platform::backend>()> driver;
};
/// For GoogleTest.
inline void PrintTo(const device_case& one, std::ostream* out) {
  *out << one.name;
}

/// The CPU device with and without delays in the one program, every GPU in the other.
[[nodiscard]] std::vector<device_case> devices_under_test();

}  // namespace pinhole::test
