// A device and its link in words.
#pragma once

#include <string>

#include "pinhole/platform/device.hpp"

namespace pinhole::tool {

/// "PCIe 5 x16", with what is not known left out; "unknown (<reason>)" when nothing is. On the CPU
/// device: "none".
[[nodiscard]] std::string link_text(const device& where);

/// "580.159.04, CUDA 13.0"; on the CPU device "none".
[[nodiscard]] std::string driver_text(const device& where);

/// The device that --device names, or the first one for "". Throws failure with the devices that
/// there are, the nearest of them, and why there is no GPU.
[[nodiscard]] device choose_device(const std::string& id);

}  // namespace pinhole::tool
