// What the roads to a GPU's memory share: the trial that every road must pass.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "platform/vram/gpu_calls.hpp"
#include "platform/vram/road.hpp"

namespace pinhole::platform {

/// Rounds up to the 2 MiB in which the driver exports and pins device memory, so that what is
/// mapped belongs to one allocation alone.
[[nodiscard]] constexpr std::size_t whole_granules(std::size_t bytes) noexcept {
  constexpr std::size_t granule = std::size_t{2} << 20U;
  return bytes > SIZE_MAX - granule ? SIZE_MAX : (bytes + granule - 1) / granule * granule;
}

/// What the trial lets each side write and the other read: one line of a write-combining buffer.
using trial_words = std::array<std::uint32_t, 16>;

/// The first word that differs, for the reason why a road is closed; empty when none does. `offset`
/// is where the words lie in their block, `later` what was read a little later.
[[nodiscard]] std::string mismatch(std::size_t offset, const trial_words& wanted,
                                   const trial_words& got, const trial_words& later);

/// What failed, as a reason why a road is closed.
[[nodiscard]] std::string sentence(const status& failed);

/// A road that maps memory of a GPU.
class gpu_road : public road {
 public:
  /// `gpu` outlives the road.
  explicit gpu_road(gpu_calls& gpu) noexcept : gpu_(gpu) {}

 protected:
  [[nodiscard]] gpu_calls& gpu() const noexcept { return gpu_; }
  /// Maps a little memory, lets each side read what the other wrote, and unmaps it. Empty when all
  /// went well, else what went wrong.
  [[nodiscard]] std::string problem_on_trial();

 private:
  gpu_calls& gpu_;
};

}  // namespace pinhole::platform
