// The CPU device, and the CPU device that takes its time.
#include "tests/conformance/devices.hpp"

namespace pinhole::test {

std::vector<device_case> devices_under_test() {
  return {
      {"cpu", "cpu", [] { return platform::make_cpu({}); }},
      {"cpu_with_delays", "cpu", [] { return platform::make_cpu({.seed = 7, .delay_us = 200}); }},
  };
}

}  // namespace pinhole::test
