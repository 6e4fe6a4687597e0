// Kernels that end the device for the process that runs them.
#include "tests/gpu/failing_kernels.hpp"

#include "pinhole/platform/launch.hpp"

namespace pinhole::test {

namespace {

__global__ void trap_kernel() {
  __trap();
}
__global__ void write_kernel(volatile int* nowhere) {
  *nowhere = 1;
}

launch_request request_for(const void* kernel, const char* name) {
  launch_request request;
  request.cuda_kernel = kernel;
  request.name = name;
  return request;
}

}  // namespace

void trap(const stream_ref& work) {
  launch(work, request_for(reinterpret_cast<const void*>(&trap_kernel), "trap"));
}

void write_to_nowhere(const stream_ref& work) {
  volatile int* nowhere = nullptr;
  void* arguments[] = {&nowhere};
  auto request = request_for(reinterpret_cast<const void*>(&write_kernel), "write to nowhere");
  request.arguments = arguments;
  launch(work, request);
}

void launch_too_wide(const stream_ref& work) {
  auto request = request_for(reinterpret_cast<const void*>(&trap_kernel), "too wide");
  request.threads = 1U << 20U;
  launch(work, request);
}

}  // namespace pinhole::test
