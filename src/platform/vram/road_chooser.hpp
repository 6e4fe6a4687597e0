// Takes the first road that is open.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "pinhole/platform/vram_roads.hpp"
#include "platform/vram/road.hpp"

namespace pinhole::platform {

/// The roads of one device. All members may be called from any thread; the first call of any of
/// them probes.
class road_chooser {
 public:
  explicit road_chooser(std::vector<std::unique_ptr<road>> in_order) noexcept
      : roads_(std::move(in_order)) {}

  /// One for each road, in order.
  [[nodiscard]] const std::vector<vram_road>& roads();
  /// not_supported when no road is open. A road that is open is kept to: when it fails, no other is
  /// tried, since memory is short then and not the road closed.
  status map(std::size_t bytes, vram_block& out);
  status unmap(const vram_block& block);

 private:
  void probe();

  std::vector<std::unique_ptr<road>> roads_;
  std::once_flag probed_;  // guards what follows
  std::vector<vram_road> found_;
  road* chosen_ = nullptr;
};

}  // namespace pinhole::platform
