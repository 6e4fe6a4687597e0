// The kernel of `video`: finds what does not belong to the background, by colour.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pinhole/core/view.hpp"
#include "pinhole/memory/staged_buffer.hpp"
#include "pinhole/platform/stream.hpp"
#include "scenarios/frame.hpp"

namespace pinhole::scenarios {

/// A detector on a device, with the background that it compares with. Finding allocates nothing,
/// and every byte of the frame is read once, so the frame may lie in host memory.
class detector {
 public:
  /// `background` is a converted frame without shapes.
  detector(const device& where, std::span<const std::uint8_t> background);

  /// Queues the kernel on `work`: a pixel whose brightness differs from the background's counts to
  /// the colour that is nearest. `frame` starts at a multiple of 16 bytes; the kernel only writes
  /// `found`, which may lie in host memory. One call at a time: the next one waits for this one.
  void find(const stream_ref& work, view<const std::uint8_t> frame, view<box> found);

  /// What the blocks of a launch add up; on the device, and as new after each launch.
  struct sums {
    box of[colours];
    unsigned finished_blocks;
  };

 private:
  staged_buffer<std::uint8_t> background_;
  staged_buffer<sums> sums_;
};

namespace detail {

inline constexpr unsigned detect_threads = 256;
inline constexpr int least_difference = 24;

/// What a thread looks at: 16 pixels of two rows, which share U and V.
inline constexpr unsigned tile_width = 16;
inline constexpr unsigned tiles_across = frame_width / tile_width;
inline constexpr unsigned tiles = tiles_across * frame_height / 2;

[[nodiscard]] PINHOLE_HD constexpr bool differs(int luma, int background) noexcept {
  return luma - background > least_difference || background - luma > least_difference;
}

/// The colour with the nearest hue, whatever the saturation: at a shape's edge it is mixed with
/// grey.
[[nodiscard]] PINHOLE_HD constexpr unsigned colour_of(int u, int v) noexcept {
  unsigned nearest = 0;
  int most = 0;
  for (unsigned colour = 0; colour < colours; ++colour) {
    const chroma one = chroma_of(colour);
    const int alike = (u - 128) * one.u + (v - 128) * one.v;
    if (alike > most) {
      most = alike;
      nearest = colour;
    }
  }
  return nearest;
}

/// Where a tile begins in a converted frame.
struct tile_place {
  unsigned x;
  unsigned y;
  std::size_t luma;
  std::size_t u;
  std::size_t v;

  PINHOLE_HD constexpr explicit tile_place(unsigned tile) noexcept
      : x(tile % tiles_across * tile_width), y(tile / tiles_across * 2) {
    const std::size_t band = y / band_rows * band_bytes;
    const std::size_t row = y % band_rows;
    luma = band + row * frame_width + x;
    u = band + luma_bytes + row / 2 * (frame_width / 2) + x / 2;
    v = u + chroma_bytes;
  }
};

/// The kernel, in detect.cu; not there in a CPU-only build.
[[nodiscard]] const void* detect_kernel();

}  // namespace detail

}  // namespace pinhole::scenarios
