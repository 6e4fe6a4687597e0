// Data that is in a std::vector already: register it, and the GPU works on it where it is.
#include <chrono>
#include <cstdio>
#include <numeric>
#include <vector>

#include "pinhole/kernel/for_each_index.cuh"
#include "pinhole/pinhole.hpp"

using namespace std::chrono_literals;

struct square {
  pinhole::view<long> values;
  PINHOLE_HD void operator()(std::size_t i) const { values[i] *= values[i]; }
};

int main() {
  const auto gpu = pinhole::device::first();
  const pinhole::stream work(gpu);

  std::vector<long> values(1000);
  std::iota(values.begin(), values.end(), 1L);
  {
    // While it lives, the vector may neither grow nor move: its pages are pinned.
    pinhole::registered_buffer<long> shared(gpu, std::span(values));
    shared.to_device(work);
    pinhole::for_each_index(work, shared.size(), square{shared.device()});
    shared.to_host(work);
    work.wait(10s);
  }

  const long sum = std::accumulate(values.begin(), values.end(), 0L);
  std::printf("1 + 4 + 9 + ... + 1000000 = %ld\n", sum);
  return sum == 1000L * 1001 * 2001 / 6 ? 0 : 1;
}
