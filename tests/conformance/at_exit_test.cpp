// Buffers with static storage end after main(), when the driver may have shut down: silently.
#include <gtest/gtest.h>

#include <optional>

#include "pinhole/memory/any_buffer.hpp"
#include "tests/conformance/devices.hpp"
#include "tests/support/kernels.hpp"
#include "tests/support/os.hpp"

namespace pinhole::test {
namespace {

// Made in the child only.
std::vector<any_buffer<int>> buffers;
std::optional<stream> work;

void leave_everything_to_the_end() {
  const auto one = devices_under_test().front();
  const auto where = platform::make_device(one.driver(), one.id, one.name);
  set_cleanup_handler([](const error& failure) noexcept { std::puts(failure.what()); });
  work.emplace(where);
  for (const auto how : all_placements()) {
    try {
      buffers.push_back(make_buffer<int>(where, 1000, how));
    } catch (const error& failure) {
      if (failure.kind() != fault::not_supported) {
        throw;
      }
      continue;
    }
    buffers.back().to_device(*work);
    add(*work, buffers.back().device(), 1);
  }
}
const fresh_process child("static buffers", &leave_everything_to_the_end);

TEST(StaticBuffers, EndSilentlyAfterMain) {
  if (devices_under_test().empty()) {
    GTEST_SKIP() << "waived: there is no GPU: " << device::why_no_gpu();
  }
  const auto result = in_fresh_process("static buffers");
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(result.output, "");
}

}  // namespace
}  // namespace pinhole::test
