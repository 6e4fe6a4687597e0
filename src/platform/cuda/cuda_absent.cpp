// A build without CUDA has no GPUs.
#include "platform/linux/pci.hpp"
#include "platform/platform.hpp"

namespace pinhole::platform {

std::vector<gpu> find_gpus(std::string& why) {
  why =
      has_nvidia_gpu()
          ? "there is an NVIDIA GPU, and this build has no CUDA: install the CUDA toolkit (12.8 or "
            "newer) and build without PINHOLE_CPU_ONLY"
          : "this build has no CUDA (PINHOLE_CPU_ONLY)";
  return {};
}

}  // namespace pinhole::platform
