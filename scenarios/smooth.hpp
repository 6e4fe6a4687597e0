// The kernel of `alternate`: smooths an image.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pinhole/core/view.hpp"
#include "pinhole/platform/stream.hpp"

namespace pinhole::scenarios {

/// A grey level of 16 bits, in a word of 32, in which the weighted sum of nine pixels is exact.
using pixel = std::uint32_t;
inline constexpr pixel brightest = 0xFFFF;
inline constexpr std::size_t image_width = 1024;

/// Rows of image_width pixels. Where there is a window, the pixels from window_first on lie there
/// and not in the array: a region that the host looks at, the rest of the image on the device.
struct image_view {
  view<pixel> pixels;
  view<pixel> window;
  std::size_t window_first = 0;

  [[nodiscard]] PINHOLE_HD constexpr pixel& operator[](std::size_t i) const noexcept {
    const std::size_t in_window = i - window_first;  // huge in front of it
    return in_window < window.size() ? window[in_window] : pixels[i];
  }
  [[nodiscard]] PINHOLE_HD constexpr std::size_t rows() const noexcept {
    return pixels.size() / image_width;
  }
};

/// Queues a kernel on `work`: each pixel of `to` becomes the mean of its neighbourhood in `from`,
/// weighted 1-2-1 in both directions and rounded down; the image goes on beyond its edges as its
/// outermost pixels. Every pixel of `from` is read about once. Both have the same whole rows and
/// share no pixel. Throws fault::invalid_argument for images of different sizes.
void smooth(const stream_ref& work, const image_view& from, const image_view& to);

namespace detail {
inline constexpr unsigned rows_of_block = 32;
/// The kernel, in smooth.cu; not there in a CPU-only build.
[[nodiscard]] const void* smooth_kernel();
}  // namespace detail

}  // namespace pinhole::scenarios
