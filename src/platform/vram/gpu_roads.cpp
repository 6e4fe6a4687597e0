// The order in which they are tried.
#include "platform/vram/gpu_roads.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "platform/cuda/cuda_calls.hpp"
#include "platform/vram/coherent_road.hpp"
#include "platform/vram/dma_buf_road.hpp"
#include "platform/vram/gdrcopy_road.hpp"
#include "platform/vram/vulkan_road.hpp"

namespace pinhole::platform {

namespace {

std::vector<std::unique_ptr<road>> in_order(gpu_calls& gpu) {
  std::vector<std::unique_ptr<road>> roads;
  roads.push_back(std::make_unique<coherent_road>(gpu));
  roads.push_back(std::make_unique<dma_buf_road>(gpu));
  roads.push_back(std::make_unique<vulkan_road>(gpu));
  roads.push_back(std::make_unique<gdrcopy_road>(gpu));
  return roads;
}

struct one_gpu {
  explicit one_gpu(int ordinal) : calls(ordinal), chooser(in_order(calls)) {}
  cuda_calls calls;
  road_chooser chooser;
};

}  // namespace

road_chooser& roads_of_gpu(int ordinal) {
  static std::mutex mutex;
  static auto* const made = new std::map<int, std::unique_ptr<one_gpu>>;
  const std::lock_guard lock(mutex);
  auto& mine = (*made)[ordinal];
  if (!mine) {
    mine = std::make_unique<one_gpu>(ordinal);
  }
  return mine->chooser;
}

}  // namespace pinhole::platform
