// Sleeps for the most of a period and spins for the rest: sleeping alone wakes too late.
#include "scenarios/metronome.hpp"

#include <thread>

#include "pinhole/core/error.hpp"

namespace pinhole::scenarios {

namespace {

constexpr std::chrono::microseconds late_waking{200};
constexpr std::uint64_t most_beats = 1'000'000;

metronome::clock::duration period_of(std::optional<std::uint64_t> rate) {
  if (!rate) {
    return {};
  }
  if (*rate == 0 || *rate > most_beats) {
    detail::reject("use --rate " + std::to_string(*rate),
                   "allowed are 1 to " + std::to_string(most_beats) + " a second");
  }
  return std::chrono::nanoseconds(1'000'000'000 / *rate);
}

}  // namespace

metronome::metronome(std::optional<std::uint64_t> rate) : period_(period_of(rate)) {}

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
