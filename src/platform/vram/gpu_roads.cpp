// The order in which they are tried.
#include "platform/vram/gpu_roads.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "platform/vram/coherent_road.hpp"
#include "platform/vram/dma_buf_road.hpp"
#include "platform/vram/gdrcopy_road.hpp"
#include "platform/vram/vulkan_road.hpp"

namespace pinhole::platform {

namespace {

std::vector<std::unique_ptr<road>> in_order(int ordinal) {
  std::vector<std::unique_ptr<road>> roads;
  roads.push_back(std::make_unique<coherent_road>(ordinal));
  roads.push_back(std::make_unique<dma_buf_road>(ordinal));
  roads.push_back(std::make_unique<vulkan_road>(ordinal));
  roads.push_back(std::make_unique<gdrcopy_road>(ordinal));
  return roads;
}

}  // namespace

road_chooser& roads_of_gpu(int ordinal) {
  static std::mutex mutex;
  static auto* const made = new std::map<int, std::unique_ptr<road_chooser>>;
  const std::lock_guard lock(mutex);
  auto& mine = (*made)[ordinal];
  if (!mine) {
    mine = std::make_unique<road_chooser>(in_order(ordinal));
  }
  return *mine;
}

}  // namespace pinhole::platform
