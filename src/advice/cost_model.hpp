// The model: what one call costs in one placement.
#pragma once

#include "pinhole/advice/advise.hpp"

namespace pinhole::advice {

/// The pattern in the units of the link, worked out once for all placements.
struct shape {
  double touched_bytes = 0;
  double runs = 0;           ///< of neighbouring units
  double run_bytes = 0;      ///< of each
  double requests = 0;       ///< of up to 128 bytes that a device makes for them
  double link_bytes = 0;     ///< that those carry, whole sectors of 32 bytes
  double pages = 0;          ///< of 4 KiB that are touched, with repetitions
  double passes = 1;         ///< of the kernel over what it reads
  double footprint_mib = 0;  ///< from the first touched byte to the last
};
[[nodiscard]] shape shape_of(const access_pattern& pattern) noexcept;

/// What a read of VRAM by the copy engine costs besides its bytes, and from which size on that
/// takes no longer than loads. The profile has VRAM.
[[nodiscard]] double vram_fetch_us(const machine_profile& profile) noexcept;
[[nodiscard]] double vram_fetched_from(const machine_profile& profile) noexcept;

/// The forecast of a placement that the profile has. Obstacles are noted, not thrown.
[[nodiscard]] forecast foresee(const access_pattern& pattern, const shape& of,
                               const machine_profile& profile, const placement_costs& costs);

/// The same for staged, in so many pieces that copies and kernels overlap best. Equal to `whole`
/// where nothing can overlap.
[[nodiscard]] forecast overlapped(const forecast& whole, const access_pattern& pattern,
                                  const machine_profile& profile);

}  // namespace pinhole::advice
