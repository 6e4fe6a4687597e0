// The roads to the memory of a GPU.
#pragma once

#include "platform/vram/road_chooser.hpp"

namespace pinhole::platform {

/// The chooser of GPU `ordinal`: one for the process, which lives until the process ends, since
/// probing is slow and buffers with static storage may end after everything else.
[[nodiscard]] road_chooser& roads_of_gpu(int ordinal);

}  // namespace pinhole::platform
