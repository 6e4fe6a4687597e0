// The first lines of the README, from outside of the project.
#include <algorithm>
#include <chrono>
#include <iostream>

#include "scale.hpp"

int main() {
  using namespace std::chrono_literals;
  const auto gpu = pinhole::device::first();
  const pinhole::stream work(gpu);
  pinhole::mapped_buffer<float> samples(gpu, 1000);
  std::ranges::fill(samples.host(), 2.0F);
  samples.to_device(work);
  scale(work, samples.device(), 3.0F);
  samples.to_host(work);
  work.wait(10s);
  const bool right = std::ranges::all_of(samples.host(), [](float x) { return x == 6.0F; });
  std::cout << gpu.name() << (right ? ": every value is 6\n" : ": some value is not 6\n");
  return right ? 0 : 1;
}
