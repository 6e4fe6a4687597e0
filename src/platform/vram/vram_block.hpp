// Device memory that is in the address spaces of both sides.
#pragma once

namespace pinhole::platform {

struct vram_block {
  void* host = nullptr;
  void* on_device = nullptr;
  /// The host's mapping is not cached: stores are combined, and each load is a round trip.
  bool write_combining = false;
  void* handle = nullptr;  ///< what the road needs to undo it
};

}  // namespace pinhole::platform
