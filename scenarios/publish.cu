// Publishing as a kernel of one block. The barrier orders the words of all threads before the first
// thread's release, and a release is cumulative: it covers what its thread has come to know of.
#include <cuda/atomic>

#include "scenarios/publish.hpp"

namespace pinhole::scenarios::detail {

namespace {

__global__ void __launch_bounds__(publish_threads)
    publish_result(view<std::uint32_t> result, view<std::uint32_t> flag, std::uint32_t turn) {
  for (std::size_t i = threadIdx.x; i < result.size(); i += publish_threads) {
    result[i] = result_word(turn, i);
  }
  __syncthreads();
  if (threadIdx.x == 0 && !flag.empty()) {
    const cuda::atomic_ref<std::uint32_t, cuda::thread_scope_system> bell(flag[0]);
    bell.store(turn, cuda::memory_order_release);
  }
}

}  // namespace

const void* publish_kernel() {
  return reinterpret_cast<const void*>(&publish_result);
}

}  // namespace pinhole::scenarios::detail
