// The work of `pixels`: a few pixels of a picture are shaded by casting a ray for each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "pinhole/core/view.hpp"
#include "scenarios/drawing.hpp"
#include "scenarios/sparse_result.hpp"

namespace pinhole::scenarios {

/// 8 bits each of red, green, blue and opacity, in this order in memory. Aligned, so that kernels
/// write one with a single store.
struct alignas(4) rgba {
  std::uint8_t red = 0;
  std::uint8_t green = 0;
  std::uint8_t blue = 0;
  std::uint8_t opacity = 255;

  friend bool operator==(const rgba& a, const rgba& b) noexcept = default;
};

struct picture_size {
  std::uint32_t width = 0;
  std::uint32_t height = 0;

  [[nodiscard]] PINHOLE_HD constexpr std::size_t pixels() const noexcept {
    return std::size_t{width} * height;
  }
};

/// Integers alone, so that host and device agree to the last bit. Lengths are in pixels of a
/// picture of 1920 x 1080; rays run straight ahead, from z = 0 towards larger z.
struct sphere {
  std::int32_t x, y, z, radius;
  rgba colour;
};

/// What there is to see.
struct scene {
  static constexpr std::int32_t width = 1920;
  static constexpr std::int32_t height = 1080;
  sphere spheres[4] = {
      {.x = 620, .y = 520, .z = 900, .radius = 340, .colour = {214, 69, 65, 255}},
      {.x = 1180, .y = 430, .z = 1100, .radius = 380, .colour = {65, 131, 215, 255}},
      {.x = 1000, .y = 800, .z = 600, .radius = 190, .colour = {245, 171, 53, 255}},
      {.x = 1560, .y = 760, .z = 800, .radius = 230, .colour = {38, 166, 91, 255}},
  };
  /// Towards the light, of length 1024.
  std::int32_t light[3] = {-512, -627, -626};
  rgba sky = {228, 241, 254, 255};
};

/// A picture of which `count` pixels, all over it, are drawn with `seed` and shaded. `count` is at
/// least 1 and at most all.
[[nodiscard]] std::shared_ptr<const sparse_job<rgba>> shading_job(picture_size size,
                                                                  std::size_t count,
                                                                  std::uint64_t seed);

namespace detail {
/// Queues the kernel.
void shade(const stream_ref& work, picture_size size, const drawing& chosen, std::size_t count,
           const sparse_output<rgba>& into);
}  // namespace detail

}  // namespace pinhole::scenarios
