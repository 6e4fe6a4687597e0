// What the environment says about the CPU device, read once by each process.
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>

#include "pinhole/platform/stream.hpp"
#include "tests/support/kernels.hpp"
#include "tests/support/os.hpp"

namespace pinhole {
namespace {

using namespace std::chrono_literals;

/// How long ten small kernels take.
std::chrono::nanoseconds ten_kernels() {
  const stream work(device::cpu());
  int one = 0;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 10; ++i) {
    test::add(work, {&one, 1}, 1);
  }
  work.wait(60s);
  return one == 10 ? std::chrono::steady_clock::now() - start : std::chrono::hours(1);
}

const test::fresh_process delayed("delayed cpu", [] {
  if (ten_kernels() < 50ms) {
    throw std::runtime_error("no delay: ten of up to 50 ms each, 250 ms on average");
  }
});
const test::fresh_process undelayed("usable cpu", [] {
  if (ten_kernels() > 30min) {
    throw std::runtime_error("wrong result");
  }
});

TEST(Environment, MayDelayTheWorkOfTheCpuDevice) {
  const test::environment set("PINHOLE_CPU_DELAY", "3:50000");
  const auto child = test::in_fresh_process("delayed cpu");
  EXPECT_EQ(child.exit_code, 0) << child.output;
}

TEST(Environment, MayHoldNonsenseWithoutHarm) {
  for (const char* const text : {"", ":", "seed", "7", "7:", "7:slow", "-1:-1x"}) {
    const test::environment set("PINHOLE_CPU_DELAY", text);
    const auto child = test::in_fresh_process("usable cpu");
    EXPECT_EQ(child.exit_code, 0) << "'" << text << "': " << child.output;
  }
}

}  // namespace
}  // namespace pinhole
