// Functions of libcuda, which is never linked, so that programs start without a driver.
#pragma once

#include <cuda_runtime_api.h>

namespace pinhole::platform {

/// The driver's function of this name, as it was in CUDA `version` (12000 is 12.0); null where the
/// driver has none.
template <class Function>
[[nodiscard]] Function driver_entry(const char* name, unsigned version) noexcept {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult how{};
  if (cudaGetDriverEntryPointByVersion(name, &found, version, cudaEnableDefault, &how) !=
      cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return nullptr;
  }
  return reinterpret_cast<Function>(found);
}

}  // namespace pinhole::platform
