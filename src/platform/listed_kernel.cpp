// A list that is built before main() begins, and by libraries that are opened later.
#include "pinhole/platform/listed_kernel.hpp"

#include <atomic>

namespace pinhole::detail {

namespace {
constinit std::atomic<const listed_kernel*> newest_kernel{nullptr};
}  // namespace

listed_kernel::listed_kernel(const void* cuda_kernel) noexcept
    : kernel_(cuda_kernel), next_(newest_kernel.load(std::memory_order_relaxed)) {
  while (!newest_kernel.compare_exchange_weak(next_, this, std::memory_order_release,
                                              std::memory_order_relaxed)) {
  }
}

const listed_kernel* listed_kernel::newest() noexcept {
  return newest_kernel.load(std::memory_order_acquire);
}

}  // namespace pinhole::detail
