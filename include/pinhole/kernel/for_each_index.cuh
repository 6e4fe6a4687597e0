// One functor, run once for each index, on whichever device the stream belongs to.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "pinhole/core/config.hpp"
#include "pinhole/platform/launch.hpp"
#include "pinhole/platform/listed_kernel.hpp"

#if !defined(__CUDACC__) && !defined(PINHOLE_CPU_ONLY)
#error \
    "for_each_index launches kernels: compile this file with nvcc, or build with PINHOLE_CPU_ONLY"
#endif

namespace pinhole {

#if defined(__CUDACC__)
namespace kernel {
/// Grid-stride loop: any grid covers any n.
template <class Function>
__global__ void for_each_index(std::size_t n, Function function) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n;
       i += stride) {
    function(i);
  }
}
template <class Function>
inline const pinhole::detail::listed_kernel listed_for_each_index(
    reinterpret_cast<const void*>(&for_each_index<Function>));
}  // namespace kernel
#endif

/// Queues function(i) for every i in [0, n) on `work` and returns; the order of the calls is not
/// defined and they may run at the same time. `Function` is a named, trivially copyable functor
/// with PINHOLE_HD void operator()(std::size_t) const; what it points to must be accessible from
/// the device (a buffer's device() view, after to_device). n = 0 queues nothing. Never
/// synchronises; legal during graph capture. Throws what launch() throws.
template <class Function>
void for_each_index(const stream_ref& work, std::size_t n, Function function) {
  static_assert(std::is_trivially_copyable_v<Function>,
                "the functor travels to the device as bytes: make it trivially copyable (views and "
                "numbers, no containers)");
  if (n == 0) {
    return;
  }
  constexpr std::size_t most_blocks = 1U << 16U;
  const unsigned threads = std::max(1U, work.where().tuning().block_threads);
  launch_request request;
  request.name = "for_each_index";
  request.threads = threads;
  request.blocks = static_cast<unsigned>(std::min(most_blocks, (n + threads - 1) / threads));
#if defined(__CUDACC__)
  void* arguments[] = {&n, &function};
  request.cuda_kernel = kernel::listed_for_each_index<Function>.cuda_kernel();
  request.arguments = arguments;
#endif
  if (work.where().kind() == device_kind::cpu) {
    // Few, large shares: a block is a thread here, and threads cost more than warps.
    request.blocks = n < 4096 ? 1 : 2;
    request.cpu_block = [n, function](unsigned block, unsigned blocks) {
      const std::size_t share = (n + blocks - 1) / blocks;
      const std::size_t last = std::min(n, share * (block + 1));
      for (std::size_t i = share * block; i < last; ++i) {
        function(i);
      }
    };
  }
  launch(work, request);
}

}  // namespace pinhole
