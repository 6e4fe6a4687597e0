// The conformance and fault tests of this program run on every GPU.
#include <gtest/gtest.h>

#include "pinhole/platform/device.hpp"
#include "tests/conformance/devices.hpp"

namespace pinhole::test {

std::vector<device_case> devices_under_test() {
  std::vector<device_case> found;
  std::string why;
  for (const auto& gpu : platform::find_gpus(why)) {
    const auto number = std::to_string(gpu.ordinal);
    found.push_back({"cuda" + number, "cuda:" + number, [driver = gpu.driver] { return driver; }});
  }
  return found;
}

TEST(GpuConformance, RunsOnEveryGpu) {
  if (devices_under_test().empty()) {
    GTEST_SKIP() << "waived: there is no GPU: " << device::why_no_gpu();
  }
  EXPECT_EQ(devices_under_test().size(), device::all().size());
}

}  // namespace pinhole::test
