// Start here: a buffer that CPU and GPU share, and a functor that runs on every index of it.
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "pinhole/kernel/for_each_index.cuh"
#include "pinhole/pinhole.hpp"

using namespace std::chrono_literals;

// Named, trivially copyable, and made of views and numbers: so it can travel to the device.
struct scale {
  pinhole::view<float> samples;
  float by;
  PINHOLE_HD void operator()(std::size_t i) const { samples[i] *= by; }
};

int main() {
  const auto gpu = pinhole::device::first();  // a GPU, or the CPU device where there is none
  const pinhole::stream work(gpu);

  pinhole::mapped_buffer<float> samples(gpu, 1 << 20);
  std::ranges::fill(samples.host(), 2.0F);  // the CPU writes in place

  samples.to_device(work);  // hand over: orders the writes, moves nothing
  pinhole::for_each_index(work, samples.size(), scale{samples.device(), 3.0F});
  samples.to_host(work);  // hand back
  work.wait(10s);         // from here on the CPU may read

  const auto right = std::ranges::count(samples.host(), 6.0F);
  std::printf("%zu of %zu samples scaled on %s, none of them copied\n",
              static_cast<std::size_t>(right), samples.size(), gpu.name().c_str());
  return static_cast<std::size_t>(right) == samples.size() ? 0 : 1;
}
