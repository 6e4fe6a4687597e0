// How a few threads copy a row that lies across the link. For kernels; gather() and its kin launch
// one that does this for a list of rows.
#pragma once

#include <cstddef>
#include <cstdint>

#if !defined(__CUDACC__) && !defined(PINHOLE_CPU_ONLY)
#error "kernel/rows.cuh is for kernels: compile this file with nvcc"
#endif

#if defined(__CUDACC__)
namespace pinhole::kernel {

/// Neighbouring threads of a warp that work on one row together: this one's rank, and their number,
/// a power of two of at most 32.
struct lanes {
  unsigned rank;
  unsigned count;
};

/// Which side of a copy is the far one, that is, lies across the link.
enum class copy_direction { from_far, to_far };

inline constexpr std::uintptr_t line_bytes = 128;  ///< what the link carries at once

/// Copies units of bytes [begin, end) on the far side, whose lines it goes by; `near` is where byte
/// `begin` is on the other side. Both sides and `end` are multiples of the unit. Four units of each
/// lane are under way together, and lanes that would reach past either end stay idle.
template <class Unit>
__device__ void copy_by_units(std::uintptr_t begin, std::uintptr_t end, std::byte* near, lanes me,
                              copy_direction way) {
  const std::uintptr_t step = me.count * sizeof(Unit);
  const std::uintptr_t span = step < line_bytes ? step : line_bytes;
  for (std::uintptr_t at = begin / span * span + me.rank * sizeof(Unit); at < end; at += 4 * step) {
    Unit values[4];
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) {
      const std::uintptr_t far = at + k * step;
      if (far >= begin && far < end) {
        values[k] = way == copy_direction::from_far
                        ? *reinterpret_cast<const Unit*>(far)
                        : *reinterpret_cast<const Unit*>(near + (far - begin));
      }
    }
#pragma unroll
    for (unsigned k = 0; k < 4; ++k) {
      const std::uintptr_t far = at + k * step;
      if (far >= begin && far < end) {
        if (way == copy_direction::from_far) {
          *reinterpret_cast<Unit*>(near + (far - begin)) = values[k];
        } else {
          *reinterpret_cast<Unit*>(far) = values[k];
        }
      }
    }
  }
}

/// The same where the sides are aligned differently: words on the far side, bytes on the near one.
__device__ inline void copy_by_bytes(std::uintptr_t begin, std::uintptr_t end, std::byte* near,
                                     lanes me, copy_direction way) {
  constexpr unsigned word = sizeof(std::uint32_t);
  const std::uintptr_t step = me.count * word;
  const std::uintptr_t span = step < line_bytes ? step : line_bytes;
  for (std::uintptr_t at = begin / span * span + me.rank * word; at < end; at += step) {
    auto* const far = reinterpret_cast<unsigned char*>(at);
    auto* const other = reinterpret_cast<unsigned char*>(near) + (at - begin);  // may lie before it
    if (at >= begin && at + word <= end) {
      if (way == copy_direction::from_far) {
        const std::uint32_t value = *reinterpret_cast<const std::uint32_t*>(far);
        for (unsigned i = 0; i < word; ++i) {
          other[i] = static_cast<unsigned char>(value >> (8 * i));
        }
      } else {
        std::uint32_t value = 0;
        for (unsigned i = 0; i < word; ++i) {
          value |= static_cast<std::uint32_t>(other[i]) << (8 * i);
        }
        *reinterpret_cast<std::uint32_t*>(far) = value;
      }
      continue;
    }
    for (unsigned i = 0; i < word; ++i) {
      if (at + i >= begin && at + i < end) {
        (way == copy_direction::from_far ? other[i] : far[i]) =
            way == copy_direction::from_far ? far[i] : other[i];
      }
    }
  }
}

/// Copies `bytes` bytes between `far` and `near`, of any alignment, in the widest units that both
/// sides share. All lanes call it with the same arguments.
__device__ inline void copy_row(std::byte* far, std::byte* near, std::size_t bytes, lanes me,
                                copy_direction way) {
  const auto begin = reinterpret_cast<std::uintptr_t>(far);
  const auto shared = begin | reinterpret_cast<std::uintptr_t>(near) | bytes;
  if (shared % sizeof(uint4) == 0) {
    copy_by_units<uint4>(begin, begin + bytes, near, me, way);
  } else if (shared % sizeof(std::uint32_t) == 0) {
    copy_by_units<std::uint32_t>(begin, begin + bytes, near, me, way);
  } else {
    copy_by_bytes(begin, begin + bytes, near, me, way);
  }
}

}  // namespace pinhole::kernel
#endif
