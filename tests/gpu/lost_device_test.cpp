// A kernel that crashes takes the device from the process, and nothing else. Each runs in a process
// of its own, so that this one keeps its device.
#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "pinhole/memory/any_buffer.hpp"
#include "pinhole/memory/vram_buffer.hpp"
#include "tests/gpu/failing_kernels.hpp"
#include "tests/gpu/gpu_fixture.hpp"
#include "tests/support/kernels.hpp"
#include "tests/support/os.hpp"

namespace pinhole::test {
namespace {

void demand(bool holds, const std::string& what) {
  if (!holds) {
    throw std::runtime_error("expected " + what);
  }
}

/// The error that `action` throws must say that the device is lost.
template <class Action>
void demand_loss(const char* when, Action&& action) {
  try {
    action();
  } catch (const error& lost) {
    demand(lost.kind() == fault::device_failed && lost.is_sticky(),
           std::string(when) + " to report the loss, not: " + lost.what());
    demand(!lost.survives().empty() && !lost.remedy().empty(), "what survives, and what to do");
    return;
  }
  demand(false, std::string(when) + " to throw");
}

/// Loses the device with buffers of every placement in flight, then looks at what is left.
void lose_device(void (*crash)(const stream_ref&)) {
  const auto gpu = device::first();
  gpu.tuning().destroy_wait = 1s;
  mapped_buffer<int> mapped(gpu, 1000);
  mapped.host()[999] = 41;
  {
    const stream work(gpu);
    std::array<int, 100> users{};
    users[99] = 43;
    staged_buffer<int> staged(gpu, 1000);
    registered_buffer<int> registered(gpu, users);
    std::optional<vram_buffer<int>> vram;
    if (vram_in_cpu_address_space(gpu)) {
      vram.emplace(gpu, 1000).to_device(work);
    }
    mapped.to_device(work);
    staged.to_device(work);
    registered.to_device(work);
    add(work, mapped.device(), 1);
    work.wait(10s);
    crash(work);
    demand_loss("waiting", [&] { work.wait(10s); });
    demand_loss("asking", [&] { (void)work.is_done(); });
    demand_loss("launching", [&] { add(work, mapped.device(), 1); });
    demand_loss("copying", [&] { staged.to_device(work); });
    demand_loss("allocating", [&] { (void)staged_buffer<int>(gpu, 10); });
    if (vram) {
      std::vector<int> got(1000);
      gpu.tuning().vram_read_by_engine_from = 0;
      demand_loss("reading VRAM", [&] { vram->read(0, got); });
      demand_loss("allocating VRAM", [&] { (void)vram_buffer<int>(gpu, 100'000'000); });
    }
    demand(mapped.host()[999] == 42, "host memory to stay readable");
    demand(users[99] == 43, "the user's memory to stay readable");
  }  // and destructors neither throw, hang nor print
}

const fresh_process trapped("trapped kernel", [] { lose_device(&trap); });
const fresh_process wild("wild write", [] { lose_device(&write_to_nowhere); });

class LostDevice : public OnGpu {};

TEST_F(LostDevice, IsReportedAsStickyByEveryCallAndHostMemorySurvives) {
  for (const char* const crash : {"trapped kernel", "wild write"}) {
    const auto child = in_fresh_process(crash);
    EXPECT_EQ(child.exit_code, 0) << crash << ": " << child.output;
    EXPECT_EQ(child.output, "") << crash;
  }
}

const fresh_process none_visible("no visible GPU", [] {
  demand(device::first() == device::cpu(), "the CPU device");
  demand(device::why_no_gpu().find("CUDA_VISIBLE_DEVICES") != std::string::npos,
         "the variable's name in: " + device::why_no_gpu());
});

TEST_F(LostDevice, IsNotTheSameAsOneThatCudaVisibleDevicesHides) {
  const environment hidden("CUDA_VISIBLE_DEVICES", "");
  const auto child = in_fresh_process("no visible GPU");
  EXPECT_EQ(child.exit_code, 0) << child.output;
}

}  // namespace
}  // namespace pinhole::test
