// Probes every road once.
#include "platform/vram/road_chooser.hpp"

#include <exception>
#include <utility>

namespace pinhole::platform {

void road_chooser::probe() {
  for (const auto& one : roads_) {
    road_state found;
    try {
      found = one->probe();
    } catch (const std::exception& thrown) {
      found.open = {false, thrown.what(), ""};
    }
    if (found.open && chosen_ == nullptr) {
      chosen_ = one.get();
    }
    found_.push_back({one->name(), std::move(found.open), found.window_bytes});
  }
}

const std::vector<vram_road>& road_chooser::roads() {
  std::call_once(probed_, [this] { probe(); });
  return found_;
}

status road_chooser::map(std::size_t bytes, vram_block& out) {
  static_cast<void>(roads());
  if (chosen_ == nullptr) {
    return {outcome::not_supported, "map device memory", "no road is open"};
  }
  return chosen_->map(bytes, out);
}

status road_chooser::unmap(const vram_block& block) {
  return chosen_->unmap(block);
}

}  // namespace pinhole::platform
