// Managed memory with its home on the device.
#include "platform/vram/coherent_road.hpp"

#include <utility>

namespace pinhole::platform {

road_state coherent_road::probe() {
  bool coherent = false;
  const auto asked = gpu().is_coherent(coherent);
  if (!asked.ok() || !coherent) {
    return {.open = {false, "the CPU cannot reach this device's memory by itself",
                     "use a machine with NVLink-C2C, such as Grace Hopper"}};
  }
  auto problem = problem_on_trial();
  return {.open = {problem.empty(), std::move(problem), ""}};
}

status coherent_road::map(std::size_t bytes, vram_block& out) {
  void* memory = nullptr;
  auto result = gpu().allocate_managed(bytes, memory);
  if (!result.ok()) {
    return result;
  }
  // Home on the device, mapped for the CPU, and there from the start: a first touch by the CPU
  // would otherwise decide for the host.
  result = gpu().prefer_device(memory, bytes);
  result = result.ok() ? gpu().map_for_cpu(memory, bytes) : result;
  result = result.ok() ? gpu().move_to_device(memory, bytes) : result;
  if (!result.ok()) {
    static_cast<void>(gpu().free(memory));
    return result;
  }
  out = {.host = memory, .on_device = memory};
  return {};
}

status coherent_road::unmap(const vram_block& block) {
  return gpu().free(block.on_device);
}

}  // namespace pinhole::platform
