// How the CPU device reads a list of indices.
#pragma once

#include <cstdint>
#include <cstring>

#include "pinhole/access/row_copy.hpp"

namespace pinhole::detail {

[[nodiscard]] inline std::uint64_t index_at(const row_copy& what, std::uint64_t position) {
  const auto* const at = what.indices + position * what.index_pitch;
  if (what.wide) {
    std::uint64_t index = 0;
    std::memcpy(&index, at, sizeof index);
    return index;
  }
  std::uint32_t index = 0;
  std::memcpy(&index, at, sizeof index);
  return index;
}

}  // namespace pinhole::detail
