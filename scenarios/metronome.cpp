// Sleeps for the most of a period and spins for the rest: sleeping alone wakes too late.
#include "scenarios/metronome.hpp"

#include <thread>

namespace pinhole::scenarios {

namespace {

constexpr std::chrono::microseconds late_waking{200};

}  // namespace

metronome::metronome(std::optional<std::uint64_t> rate)
    : period_(rate ? std::chrono::nanoseconds(1'000'000'000 / *rate) : std::chrono::nanoseconds{}) {
}

metronome::clock::time_point metronome::next() {
  if (period_ == clock::duration{}) {
    return clock::now();
  }
  beat_ = beat_ ? *beat_ + period_ : clock::now();
  if (clock::now() + late_waking < *beat_) {
    std::this_thread::sleep_until(*beat_ - late_waking);
  }
  while (clock::now() < *beat_) {
  }
  return *beat_;
}

}  // namespace pinhole::scenarios
