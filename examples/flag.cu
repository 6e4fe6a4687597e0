// A loop that ends when a kernel raises a flag, and a kernel that stays and takes turns with the
// host.
#include <chrono>
#include <cstdio>

#include "pinhole/kernel/for_each_index.cuh"
#include "pinhole/kernel/resident.cuh"
#include "pinhole/pinhole.hpp"
#include "pinhole/signal/flag.hpp"

using namespace std::chrono_literals;

/// Halves every value, and raises the flag while one of them is still large.
struct halve {
  pinhole::view<float> values;
  pinhole::kernel::flag_end not_yet;
  PINHOLE_HD void operator()(std::size_t i) const {
    values[i] /= 2;
    if (values[i] > 1) {
      not_yet.raise();
    }
  }
};

/// The same as a kernel that stays: one turn each time the host raises the flag.
struct halve_on_request {
  pinhole::view<float> values;
  pinhole::kernel::flag_end turn;
  PINHOLE_HD void operator()(pinhole::kernel::watch& life,
                             const pinhole::kernel::grid_place& /*at*/) const {
    while (turn.wait_until_raised(life)) {
      turn.lower();
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] /= 2;
      }
      turn.raise();
    }
  }
};

int main() {
  const auto gpu = pinhole::device::first();
  const pinhole::stream work(gpu);
  pinhole::mapped_buffer<float> values(gpu, 4);
  for (float& value : values.host()) {
    value = 100;
  }

  // The loop of ten lines: the host lowers, the kernel raises, until it stays down.
  pinhole::flag not_yet(gpu);
  int turns = 0;
  do {
    not_yet.lower();
    values.to_device(work);
    pinhole::for_each_index(work, values.size(), halve{values.device(), not_yet.device()});
    values.to_host(work);
    work.wait(10s);
    ++turns;
  } while (not_yet.is_raised());

  // Without launches: both flags go back and forth between the host and one kernel.
  pinhole::flag turn(gpu);
  pinhole::resident worker(gpu, halve_on_request{values.device(), turn.device()}, {.threads = 1},
                           turn, values);
  for (int i = 0; i < 3; ++i) {
    turn.lower();
    turn.raise();
    turn.wait_until_raised(10s, pinhole::wait_policy::spin_then_yield, &worker.work());
  }
  worker.stop(10s);

  std::printf("%d turns, then 3 more: %g\n", turns, static_cast<double>(values.host()[0]));
  return turns == 7 && values.host()[0] == 100.0F / 128 / 8 ? 0 : 1;
}
