// Signals where the CPU has no way to the device's memory: all words lie in host memory then, and
// where many blocks poll, one looks over the link and tells the others.
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "pinhole/kernel/resident.cuh"
#include "pinhole/memory/mapped_buffer.hpp"
#include "pinhole/memory/staged_buffer.hpp"
#include "pinhole/platform/vram_roads.hpp"
#include "pinhole/signal/flag.hpp"
#include "tests/gpu/signal_fixture.hpp"
#include "tests/support/os.hpp"

namespace pinhole::test {

struct adds_three {
  PINHOLE_HD std::uint64_t operator()(const std::uint64_t& number) const { return number + 3; }
};

/// All blocks wait for each raise of the host's; the last to see one answers it.
struct takes_turns {
  kernel::flag_end turn;
  view<std::uint64_t> seen;  ///< in device memory

  PINHOLE_HD void operator()(kernel::watch& life, const kernel::grid_place& at) const {
    for (std::uint64_t number = 1; turn.wait_for_raise(number, life); ++number) {
      if (kernel::count_up(&seen[0]) == number * at.blocks) {
        turn.raise_to(number);
      }
    }
  }
};

struct keeps_a_sum {
  view<std::uint64_t> sum;  ///< one for each thread of the block
  PINHOLE_HD void operator()(const std::uint64_t& number) const {
    sum[kernel::one_block().rank()] += number;
  }
};

namespace {

constexpr std::uint64_t rounds = 20'000;

void demand(bool holds, const std::string& what) {
  if (!holds) {
    throw std::runtime_error("expected " + what);
  }
}

void ask_a_mailbox(const device& gpu) {
  for (const auto orders : {ordering::all_memory, ordering::messages}) {
    mailbox<std::uint64_t, std::uint64_t> desk(gpu, {.capacity = 64, .orders = orders});
    const resident worker(gpu, desk, adds_three{}, for_a_while(4));
    for (std::uint64_t i = 0; i < rounds; ++i) {
      demand(desk.ask(i, soon) == i + 3, "the answer to " + std::to_string(i));
    }
  }
}

void raise_flags_for_many_blocks(const device& gpu) {
  const stream work(gpu);
  flag turn(gpu);
  staged_buffer<std::uint64_t> seen(gpu, 1);
  seen.host()[0] = 0;
  seen.to_device(work);
  work.wait(soon);
  const resident worker(gpu, takes_turns{turn.device(), seen.device()}, for_a_while(32, 1), turn,
                        seen);
  for (std::uint64_t i = 0; i < rounds / 10; ++i) {
    turn.lower();
    turn.raise();
    turn.wait_until_raised(soon);
  }
}

void push_through_a_ring(const device& gpu) {
  ring_to_device<std::uint64_t> numbers(gpu, 256);
  mapped_buffer<std::uint64_t> sums(gpu, 256);
  for (auto& one : sums.host()) {
    one = 0;
  }
  resident worker(gpu, numbers, keeps_a_sum{sums.device()}, for_a_while(), sums);
  for (std::uint64_t i = 1; i <= rounds; ++i) {
    numbers.push(i, soon);
  }
  numbers.close();
  numbers.wait_until_consumed(soon);
  worker.stop(soon);
  std::uint64_t total = 0;
  for (const auto one : sums.host()) {
    total += one;
  }
  demand(total == rounds * (rounds + 1) / 2, "every element once");
}

const fresh_process without_vram("signals without VRAM", [] {
  setenv("VK_DRIVER_FILES", "/nowhere/icd.json", 1);
  setenv("VK_ICD_FILENAMES", "/nowhere/icd.json", 1);
  const auto gpu = device::first();
  if (vram_in_cpu_address_space(gpu)) {
    std::exit(77);  // another road is open
  }
  ask_a_mailbox(gpu);
  raise_flags_for_many_blocks(gpu);
  push_through_a_ring(gpu);
});

class SignalsOnGpu : public OnGpu {};

TEST_F(SignalsOnGpu, WorkWhereTheCpuCannotReachTheDevicesMemory) {
  const auto child = in_fresh_process("signals without VRAM");
  if (child.exit_code == 77) {
    GTEST_SKIP() << "waived: this machine has a road to VRAM besides Vulkan";
  }
  EXPECT_EQ(child.exit_code, 0) << child.output;
}

}  // namespace
}  // namespace pinhole::test
