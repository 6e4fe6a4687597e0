// cudaDeviceReset() takes the device's memory from under the buffers that live.
#include <cuda_runtime_api.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/gpu/vram_fixture.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/kernels.hpp"
#include "tests/support/os.hpp"

namespace pinhole::test {
namespace {

void demand(bool holds, const std::string& what) {
  if (!holds) {
    throw std::runtime_error("expected " + what);
  }
}

/// Of Vulkan's allocation CUDA has only lost its half, so that the CPU's mapping is still there.
void demand_a_harmless_mapping(vram_buffer<int>& buffer) {
  const std::vector<int> values(buffer.size(), 5);
  buffer.write(0, values);
  drain_writes();
  std::vector<int> got(10);
  buffer.read(990, got);  // so little is read by loads
  demand(got == std::vector<int>(10, 5), "the mapping to hold what was written");
}

void use_after_reset() {
  const auto gpu = device::first();
  const bool by_vulkan = vram_in_cpu_address_space(gpu).reason.starts_with("through Vulkan");
  const cleanup_log complaints;
  std::optional<vram_buffer<int>> small(std::in_place, gpu, 1000);
  std::optional<vram_buffer<int>> large(std::in_place, gpu, 20'000'000);  // a block of its own
  demand(cudaDeviceReset() == cudaSuccess, "a reset");
  if (by_vulkan) {
    demand_a_harmless_mapping(*small);
  }
  small.reset();
  large.reset();
  gpu.collect();  // also the block that the small one shared
  demand(complaints.errors().size() == 2, "both blocks to be reported");
  demand(complaints.errors()[0].call() == std::string("cudaFree"), "the call that failed");

  const stream work(gpu);
  vram_buffer<int> fresh(gpu, 1000);
  fresh.write(0, std::vector<int>(1000, 41));
  fresh.to_device(work);
  add(work, fresh.device(), 1);
  fresh.to_host(work);
  work.wait(10s);
  std::vector<int> got(1000);
  copy_to_host<int>(gpu, std::span<int>(got), fresh.device());
  demand(got == std::vector<int>(1000, 42), "new buffers to work");
}
const fresh_process use_after_reset_child("vram_after_reset", use_after_reset);

class VramReset : public VramOnGpu {};

TEST_F(VramReset, IsReportedByWhatLivedAndHarmsNothingThatComesLater) {
  const auto child = in_fresh_process("vram_after_reset");
  EXPECT_EQ(child.exit_code, 0) << child.output;
  EXPECT_EQ(child.output, "");
}

}  // namespace
}  // namespace pinhole::test
