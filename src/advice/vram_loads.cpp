// Counts the steps in which memory/wc_lines.hpp reads the ends of a run.
#include "advice/vram_loads.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace pinhole::advice {

namespace {

constexpr std::uint64_t line = 64;

/// Of aligned powers of two up to 8 bytes.
unsigned steps_of(std::uint64_t start, std::uint64_t bytes) noexcept {
  unsigned steps = 0;
  while (bytes > 0) {
    const std::uint64_t aligned = std::uint64_t{1} << std::countr_zero(start | 8U);
    const std::uint64_t step = std::min(aligned, std::bit_floor(bytes));
    start += step;
    bytes -= step;
    ++steps;
  }
  return steps;
}

}  // namespace

vram_loads vram_loads_of(std::uint64_t run_bytes) noexcept {
  const std::uint64_t starts = line / std::gcd(run_bytes, line);
  vram_loads all;
  for (std::uint64_t i = 0; i < starts; ++i) {
    const std::uint64_t start = i * run_bytes % line;
    const std::uint64_t head = std::min(run_bytes, (line - start) % line);
    const std::uint64_t lines = (run_bytes - head) / line;
    const std::uint64_t tail = run_bytes - head - lines * line;
    all.waits += steps_of(start, head) + steps_of(0, tail) + (lines > 0 ? 1 : 0);
    all.lines += static_cast<double>(lines);
  }
  all.waits /= static_cast<double>(starts);
  all.lines /= static_cast<double>(starts);
  return all;
}

}  // namespace pinhole::advice
