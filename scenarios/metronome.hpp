// Beats at a fixed rate, for work that comes in at its own pace.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace pinhole::scenarios {

/// Says when each piece of work is due. Beats are counted from the first one and not from the end
/// of the last piece, so that a late piece makes the next ones late too, as it does in life: time
/// each from its beat.
class metronome {
 public:
  using clock = std::chrono::steady_clock;

  /// Beats a second, at least 1; none: flat out, everything is due at once.
  explicit metronome(std::optional<std::uint64_t> rate);

  /// Waits for the next beat and returns its time, which is past already when the last piece of
  /// work took longer than a period. Flat out it returns the present.
  clock::time_point next();
  /// Zero when flat out.
  [[nodiscard]] clock::duration period() const noexcept { return period_; }
  /// The next beat is the first one, now.
  void restart() noexcept { beat_.reset(); }

 private:
  clock::duration period_;
  std::optional<clock::time_point> beat_;
};

}  // namespace pinhole::scenarios
