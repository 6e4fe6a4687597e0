// How a CPU loads a run of VRAM: what it waits for, and what streams.
#pragma once

#include <cstdint>

namespace pinhole::advice {

/// On the average over runs that lie one after the other, so anywhere within lines.
struct vram_loads {
  double waits =
      0;  ///< round trips one after the other: each step of a partial line, and the lines
  double lines = 0;  ///< whole ones
};
[[nodiscard]] vram_loads vram_loads_of(std::uint64_t run_bytes) noexcept;

}  // namespace pinhole::advice
