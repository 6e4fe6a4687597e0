// Launches the kernel, and does its work on the CPU device.
#include "scenarios/publish.hpp"

#include <atomic>

#include "pinhole/platform/launch.hpp"

namespace pinhole::scenarios {

namespace {

/// The words are written as relaxed atomics: one of the readers is hasty on purpose, and reads them
/// in the same way, so that what it does is defined.
void publish_result(view<std::uint32_t> result, view<std::uint32_t> flag, std::uint32_t turn) {
  for (std::size_t i = 0; i < result.size(); ++i) {
    std::atomic_ref(result[i]).store(result_word(turn, i), std::memory_order_relaxed);
  }
  if (!flag.empty()) {
    std::atomic_ref(flag[0]).store(turn, std::memory_order_release);
  }
}

}  // namespace

void publish(const stream_ref& work, view<std::uint32_t> result, view<std::uint32_t> flag,
             std::uint32_t turn) {
  launch_request request;
  request.name = "publish";
#if !defined(PINHOLE_CPU_ONLY)
  void* arguments[] = {&result, &flag, &turn};
  request.cuda_kernel = detail::publish_kernel();
  request.arguments = arguments;
#endif
  request.threads = detail::publish_threads;
  if (work.where().kind() == device_kind::cpu) {
    request.cpu_block = [=](unsigned, unsigned) { publish_result(result, flag, turn); };
  }
  launch(work, request);
}

}  // namespace pinhole::scenarios
