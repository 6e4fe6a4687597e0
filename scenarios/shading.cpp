// Chooses the pixels, and shades them the plain way.
#include "scenarios/shading.hpp"

#include <cmath>
#include <limits>

namespace pinhole::scenarios {

namespace {

std::uint8_t faded(std::uint8_t channel, int brightness) {
  return static_cast<std::uint8_t>(channel * brightness / 1024);
}

/// What the ray through a point of the scene meets first; the sky when it meets nothing.
rgba plainly_shaded(const scene& seen, int x, int y) {
  double nearest = std::numeric_limits<double>::infinity();
  rgba result = seen.sky;
  for (const sphere& one : seen.spheres) {
    const double across = std::pow(x - one.x, 2) + std::pow(y - one.y, 2);
    const double depth = std::floor(std::sqrt(std::pow(one.radius, 2) - across));
    if (std::isnan(depth) || one.z - depth >= nearest) {
      continue;
    }
    nearest = one.z - depth;
    const double towards =
        ((x - one.x) * seen.light[0] + (y - one.y) * seen.light[1] - depth * seen.light[2]) /
        one.radius;
    const int brightness = 256 + static_cast<int>(std::max(0.0, std::trunc(towards))) * 3 / 4;
    result = {faded(one.colour.red, brightness), faded(one.colour.green, brightness),
              faded(one.colour.blue, brightness), 255};
  }
  return result;
}

/// "#rrggbbaa"
std::string shown(const rgba& one) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text = "#";
  for (const unsigned channel : {one.red, one.green, one.blue, one.opacity}) {
    text += digits[channel / 16];
    text += digits[channel % 16];
  }
  return text;
}

class shading final : public sparse_job<rgba> {
 public:
  shading(picture_size size, std::size_t count, std::uint64_t seed)
      : size_(size), chosen_(scramble(seed), size.pixels(), count) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t position = chosen_[i];
      written_.push_back(position);
      expected_.push_back(plainly_shaded({}, x_of(position) * scene::width / width(),
                                         y_of(position) * scene::height / height()));
    }
  }

  [[nodiscard]] std::size_t size() const override { return size_.pixels(); }

  /// A dark gradient.
  [[nodiscard]] rgba before(std::size_t position) const override {
    return {static_cast<std::uint8_t>(16 + 48 * x_of(position) / width()),
            static_cast<std::uint8_t>(16 + 48 * y_of(position) / height()), 48, 255};
  }

  void launch(const stream_ref& work, const sparse_output<rgba>& into) const override {
    detail::shade(work, size_, chosen_, written_.size(), into);
  }

  [[nodiscard]] std::string difference(std::size_t position, rgba expected,
                                       rgba got) const override {
    return "pixel (" + std::to_string(x_of(position)) + ", " + std::to_string(y_of(position)) +
           "): expected " + shown(expected) + ", got " + shown(got);
  }

 private:
  [[nodiscard]] int width() const { return static_cast<int>(size_.width); }
  [[nodiscard]] int height() const { return static_cast<int>(size_.height); }
  [[nodiscard]] int x_of(std::size_t position) const {
    return static_cast<int>(position % size_.width);
  }
  [[nodiscard]] int y_of(std::size_t position) const {
    return static_cast<int>(position / size_.width);
  }

  picture_size size_;
  drawing chosen_;
};

}  // namespace

std::shared_ptr<const sparse_job<rgba>> shading_job(picture_size size, std::size_t count,
                                                    std::uint64_t seed) {
  return std::make_shared<shading>(size, count, seed);
}

}  // namespace pinhole::scenarios
