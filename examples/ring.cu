// A stream of measurements to a kernel that stays, and a stream of results back.
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "pinhole/kernel/resident.cuh"
#include "pinhole/pinhole.hpp"
#include "pinhole/signal/ring.hpp"

using namespace std::chrono_literals;
namespace kernel = pinhole::kernel;

/// Squares what comes in; ends when the host closes the ring.
struct square {
  kernel::ring_source<float> from;
  kernel::ring_sink<float> to;
  PINHOLE_HD void operator()(kernel::watch& life, const kernel::grid_place& /*at*/) const {
    kernel::ring_reader<float, kernel::one_thread> in(from);
    kernel::ring_writer<float, kernel::one_thread> out(to);
    while (const auto n = in.wait(life)) {
      for (std::uint64_t i = 0; i < n; ++i) {
        const float squared = in[i] * in[i];
        out.push(&squared, 1, life);
      }
      in.release(n);
    }
    out.close();
  }
};

int main() {
  const auto gpu = pinhole::device::first();
  pinhole::ring_to_device<float> measured(gpu, 256);
  pinhole::ring_to_host<float> results(gpu, 256);
  const pinhole::resident worker(gpu, square{measured.device(), results.device()}, {.threads = 1},
                                 measured, results);

  std::thread producer([&] {
    const std::vector<float> batch{1, 2, 3, 4};
    for (int i = 0; i < 1000; ++i) {
      measured.push(batch, 10s);  // waits when the kernel falls behind
    }
    measured.close();
  });
  double sum = 0;
  while (const auto result = results.pop(10s)) {  // none: closed and empty
    sum += static_cast<double>(*result);
  }
  producer.join();

  std::printf("sum of squares: %g\n", sum);
  return sum == 30'000 ? 0 : 1;
}
