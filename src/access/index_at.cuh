// How kernels read a list of indices.
#pragma once

#include <cstdint>

#include "pinhole/access/row_copy.hpp"

namespace pinhole::detail {

__device__ inline std::uint64_t index_at(const row_copy& what, std::uint64_t position) {
  const auto* const at = what.indices + position * what.index_pitch;
  return what.wide ? *reinterpret_cast<const std::uint64_t*>(at)
                   : *reinterpret_cast<const std::uint32_t*>(at);
}

}  // namespace pinhole::detail
