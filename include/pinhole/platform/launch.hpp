// How a kernel crosses the platform boundary. Used by kernel/*.cuh and by hand-written launchers.
#pragma once

#include <cstddef>
#include <functional>

#include "pinhole/platform/stream.hpp"

namespace pinhole {

/// One kernel launch, in the terms of both devices.
struct launch_request {
  const void* cuda_kernel =
      nullptr;  ///< address of a __global__ function; unused on the CPU device
  unsigned blocks = 1;
  unsigned threads = 1;          ///< per block
  std::size_t shared_bytes = 0;  ///< dynamic shared memory per block
  void** arguments = nullptr;    ///< addresses of the kernel's arguments; read before return
  /// The same work for the CPU device, where a block is one thread: called once for each block with
  /// the block's number and the number of blocks, possibly at the same time.
  std::function<void(unsigned block, unsigned blocks)> cpu_block;
  const char* name = "kernel";  ///< for error messages
};

/// Queues the kernel on `work` and returns. Never synchronises; legal during graph capture on a
/// GPU. Throws fault::invalid_argument for 0 blocks or threads, fault::not_supported when the
/// request has no code for the device, and what the driver reports.
void launch(const stream_ref& work, const launch_request& what);

}  // namespace pinhole
