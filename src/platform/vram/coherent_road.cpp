// Managed memory with its home on the device.
#include "platform/vram/coherent_road.hpp"

#include "platform/cuda/cuda_backend.hpp"

namespace pinhole::platform {

road_state coherent_road::probe() {
  int direct = 0;
  const auto asked =
      cudaDeviceGetAttribute(&direct, cudaDevAttrDirectManagedMemAccessFromHost, ordinal());
  if (asked != cudaSuccess || direct == 0) {
    return {.open = {false, "the CPU cannot reach this device's memory by itself",
                     "use a machine with NVLink-C2C, such as Grace Hopper"}};
  }
  auto problem = problem_on_trial();
  return {.open = {problem.empty(), std::move(problem), ""}};
}

status coherent_road::map(std::size_t bytes, vram_block& out) {
  const current_device current(ordinal());
  void* memory = nullptr;
  if (const auto made = cudaMallocManaged(&memory, bytes, cudaMemAttachGlobal);
      made != cudaSuccess) {
    return status_of(made, "cudaMallocManaged");
  }
  const cudaMemLocation here{.type = cudaMemLocationTypeDevice, .id = ordinal()};
  const cudaMemLocation cpu{.type = cudaMemLocationTypeHost, .id = 0};
  // Home on the device, mapped for the CPU, and there from the start: a first touch by the CPU
  // would otherwise decide for the host.
  auto result = status_of(cudaMemAdvise(memory, bytes, cudaMemAdviseSetPreferredLocation, here),
                          "cudaMemAdvise");
  if (result.ok()) {
    result =
        status_of(cudaMemAdvise(memory, bytes, cudaMemAdviseSetAccessedBy, cpu), "cudaMemAdvise");
  }
  if (result.ok()) {
    result = status_of(cudaMemPrefetchAsync(memory, bytes, here, 0, cudaStreamPerThread),
                       "cudaMemPrefetchAsync");
  }
  if (result.ok()) {
    result = status_of(cudaStreamSynchronize(cudaStreamPerThread), "cudaStreamSynchronize");
  }
  if (!result.ok()) {
    cudaFree(memory);
    return result;
  }
  out = {.host = memory, .on_device = memory};
  return {};
}

status coherent_road::unmap(const vram_block& block) {
  const current_device current(ordinal());
  return status_of(cudaFree(block.on_device), "cudaFree");
}

}  // namespace pinhole::platform
