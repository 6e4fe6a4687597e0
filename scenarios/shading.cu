// The shading as a functor over the chosen pixels.
#include "pinhole/kernel/for_each_index.cuh"
#include "scenarios/shading.hpp"

namespace pinhole::scenarios::detail {

namespace {

/// The largest integer whose square is not above `square`, bit by bit from the top.
PINHOLE_HD constexpr std::int32_t whole_root(std::int32_t square) {
  std::int32_t root = 0;
  for (std::int32_t bit = 1 << 9; bit > 0; bit >>= 1) {
    const std::int32_t larger = root | bit;
    root = larger * larger <= square ? larger : root;
  }
  return root;
}

struct shade_pixel {
  picture_size size;
  drawing chosen;
  sparse_output<rgba> into;
  scene seen;

  PINHOLE_HD void operator()(std::size_t i) const {
    const std::size_t position = chosen[i];
    const auto x = static_cast<std::uint32_t>(position) % size.width;
    const auto y = static_cast<std::uint32_t>(position) / size.width;
    into.put(i, position,
             cast_ray(static_cast<std::int32_t>(x * scene::width / size.width),
                      static_cast<std::int32_t>(y * scene::height / size.height)));
  }

 private:
  [[nodiscard]] PINHOLE_HD rgba cast_ray(std::int32_t x, std::int32_t y) const {
    std::int32_t nearest = INT32_MAX;
    rgba result = seen.sky;
    for (const sphere& one : seen.spheres) {
      const std::int32_t dx = x - one.x;
      const std::int32_t dy = y - one.y;
      const std::int32_t square = one.radius * one.radius - dx * dx - dy * dy;
      const std::int32_t depth = square < 0 ? 0 : whole_root(square);
      if (square >= 0 && one.z - depth < nearest) {
        nearest = one.z - depth;
        result = lit(one, dx, dy, -depth);
      }
    }
    return result;
  }

  /// The sphere's colour at a point that lies so far from its centre.
  [[nodiscard]] PINHOLE_HD rgba lit(const sphere& one, std::int32_t dx, std::int32_t dy,
                                    std::int32_t dz) const {
    const std::int32_t towards =
        (dx * seen.light[0] + dy * seen.light[1] + dz * seen.light[2]) / one.radius;
    const std::int32_t brightness = 256 + (towards > 0 ? towards * 3 / 4 : 0);
    const auto scaled = [brightness](std::uint8_t channel) {
      return static_cast<std::uint8_t>(channel * brightness / 1024);
    };
    return {scaled(one.colour.red), scaled(one.colour.green), scaled(one.colour.blue), 255};
  }
};

}  // namespace

void shade(const stream_ref& work, picture_size size, const drawing& chosen, std::size_t count,
           const sparse_output<rgba>& into) {
  for_each_index(work, count, shade_pixel{size, chosen, into, {}});
}

}  // namespace pinhole::scenarios::detail
