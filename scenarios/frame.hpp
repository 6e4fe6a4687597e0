// What a camera's frame is, raw and converted, and what is found in it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "pinhole/core/config.hpp"

namespace pinhole::scenarios {

inline constexpr unsigned frame_width = 640;
inline constexpr unsigned frame_height = 480;

/// YUYV, as webcams deliver it: a byte of brightness for each pixel, and between them the colour of
/// two neighbours, first U, then V. Rows from the top.
inline constexpr std::size_t raw_row_bytes = frame_width * 2;
inline constexpr std::size_t raw_frame_bytes = raw_row_bytes * frame_height;

/// A converted frame lies in memory as two bands, upper and lower half, so that one can be on its
/// way while the other one is converted. Each is planar YUV 4:2:0: brightness of all its pixels,
/// then U, then V of each square of 2 x 2.
inline constexpr unsigned bands = 2;
inline constexpr unsigned band_rows = frame_height / bands;
inline constexpr std::size_t luma_bytes = std::size_t{frame_width} * band_rows;
inline constexpr std::size_t chroma_bytes = luma_bytes / 4;
inline constexpr std::size_t band_bytes = luma_bytes + 2 * chroma_bytes;
inline constexpr std::size_t frame_bytes = bands * band_bytes;

/// One shape of each colour moves through the picture.
inline constexpr unsigned colours = 6;
/// U and V of a colour, less 128.
struct chroma {
  int u = 0;
  int v = 0;
};
[[nodiscard]] PINHOLE_HD constexpr chroma chroma_of(unsigned colour) noexcept {
  constexpr chroma all[colours] = {{96, 0}, {48, 83}, {-48, 83}, {-96, 0}, {-48, -83}, {48, -83}};
  return all[colour];
}

/// Where the pixels of one colour are: edges inclusive. Nothing is initialised, so that it can lie
/// in shared memory.
struct box {
  unsigned left;
  unsigned top;
  unsigned right;
  unsigned bottom;
  unsigned pixels;

  PINHOLE_HD constexpr void add(unsigned x, unsigned y) noexcept {
    left = x < left ? x : left;
    top = y < top ? y : top;
    right = x > right ? x : right;
    bottom = y > bottom ? y : bottom;
    ++pixels;
  }
  friend bool operator==(const box&, const box&) noexcept = default;
};
/// The box of no pixels.
[[nodiscard]] PINHOLE_HD constexpr box no_box() noexcept {
  return {frame_width, frame_height, 0, 0, 0};
}

/// By colour.
using boxes = std::array<box, colours>;
[[nodiscard]] constexpr boxes no_boxes() noexcept {
  boxes none{};
  none.fill(no_box());
  return none;
}

}  // namespace pinhole::scenarios
