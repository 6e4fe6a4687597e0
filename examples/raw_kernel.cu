// A kernel of your own over a mapped buffer: the view is all that it needs.
#include <chrono>
#include <cstdio>
#include <numeric>

#include "pinhole/pinhole.hpp"

using namespace std::chrono_literals;

__global__ void reverse(pinhole::view<int> values) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < values.size() / 2) {
    const std::size_t mirrored = values.size() - 1 - i;
    const int kept = values[i];
    values[i] = values[mirrored];
    values[mirrored] = kept;
  }
}

int main() {
  const auto gpu = pinhole::device::first();
  if (gpu.kind() != pinhole::device_kind::cuda) {
    std::printf("waived: a raw kernel needs a GPU; %s\n", pinhole::device::why_no_gpu().c_str());
    return 77;
  }
  const pinhole::stream work(gpu);
  pinhole::mapped_buffer<int> values(gpu, 1'000'001);
  std::iota(values.host().begin(), values.host().end(), 0);

  values.to_device(work);
  const auto blocks = static_cast<unsigned>(values.size() / 2 / 256 + 1);
  reverse<<<blocks, 256, 0, work.native()>>>(values.device());
  values.to_host(work);
  work.wait(10s);  // throws what the kernel failed with, if it did

  std::printf("from %d down to %d\n", values.host().front(), values.host().back());
  return values.host().front() == 1'000'000 && values.host().back() == 0 ? 0 : 1;
}
