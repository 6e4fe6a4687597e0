// Round trips through a mailbox, timed one by one.
#include "advice/echo.hpp"

#include <chrono>
#include <cstdint>

#include "pinhole/kernel/resident.cuh"
#include "pinhole/signal/mailbox.hpp"

namespace pinhole::advice {

namespace {

struct number {
  std::uint32_t value;
};

struct echo {
  PINHOLE_HD number operator()(const number& asked) const { return {asked.value + 1}; }
};

}  // namespace

std::vector<double> mailbox_times_us(const device& where, unsigned count) {
  using clock = std::chrono::steady_clock;
  constexpr std::chrono::seconds patience{10};
  constexpr unsigned warm_up = 10;
  mailbox<number, number> desk(where);
  // It ends by itself, whatever becomes of this process.
  resident worker(where, desk, echo{}, {.lifetime = std::chrono::seconds(20)});
  std::vector<double> times;
  for (unsigned i = 0; i < count + warm_up; ++i) {
    const auto start = clock::now();
    const number answer = desk.ask({i}, patience);
    const std::chrono::duration<double, std::micro> took = clock::now() - start;
    if (i >= warm_up && answer.value == i + 1) {
      times.push_back(took.count());
    }
  }
  worker.stop(patience);
  return times;
}

}  // namespace pinhole::advice
