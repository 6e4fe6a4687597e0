// Draws shapes over a background, and takes the old ones away.
#include "scenarios/camera.hpp"

#include <algorithm>
#include <cstdlib>

#include "scenarios/drawing.hpp"

namespace pinhole::scenarios {

namespace {

constexpr unsigned parts_across = 3;
constexpr unsigned parts_down = colours / parts_across;
constexpr unsigned part_width = frame_width / parts_across;
constexpr unsigned part_height = frame_height / parts_down;
constexpr unsigned brightest_background = 103;
constexpr std::uint8_t neutral = 128;  // U and V of grey

enum class form { rectangle, disc };

/// The shape of one colour: its form, its size, and where it is in a frame.
struct shape {
  form how;
  unsigned width;
  unsigned height;
  unsigned left;
  unsigned top;
  std::uint8_t luma;
};

/// Moves from 0 to `room` and back, `step` a frame.
unsigned bounce(std::uint64_t frame, unsigned step, unsigned phase, unsigned room) {
  const auto at = static_cast<unsigned>((frame * step + phase) % (2 * std::uint64_t{room}));
  return at <= room ? at : 2 * room - at;
}

shape shape_of(unsigned colour, unsigned number, std::uint64_t seed) {
  const std::uint64_t drawn = scramble(seed * colours + colour);
  const auto part = [&](unsigned first_bit, unsigned least, unsigned range) {
    return least + static_cast<unsigned>(drawn >> first_bit) % range;
  };
  shape one{};
  one.how = colour % 2 == 0 ? form::rectangle : form::disc;
  one.width = part(0, 30, 60);
  one.height = part(8, 30, 60);
  if (one.how == form::disc) {
    one.width = one.height = one.width / 2 * 2 + 1;  // a middle row and column
  }
  const unsigned room_across = part_width - one.width;
  const unsigned room_down = part_height - one.height;
  one.left = colour % parts_across * part_width +
             bounce(number, part(16, 1, 6), part(24, 0, room_across), room_across);
  one.top = colour / parts_across * part_height +
            bounce(number, part(32, 1, 6), part(40, 0, room_down), room_down);
  one.luma = static_cast<std::uint8_t>(part(48, 170, 60));
  return one;
}

/// Columns of the shape in its row `row`, counted from its left edge: first and one past the last.
struct columns {
  unsigned first;
  unsigned end;
};
columns columns_of(const shape& one, unsigned row) {
  if (one.how == form::rectangle) {
    return {0, one.width};
  }
  const int radius = static_cast<int>(one.width / 2);
  const int down = static_cast<int>(row) - radius;
  int across = 0;
  while ((across + 1) * (across + 1) + down * down <= radius * radius) {
    ++across;
  }
  return {static_cast<unsigned>(radius - across), static_cast<unsigned>(radius + across + 1)};
}

/// Colours one pixel. Neighbours share U and V, so each of them counts half.
void paint(std::uint8_t* raw_row, unsigned x, std::uint8_t luma, chroma colour) {
  std::uint8_t* const pair = raw_row + x / 2 * 4;
  pair[x % 2 * 2] = luma;
  pair[1] = static_cast<std::uint8_t>(pair[1] + colour.u / 2);
  pair[3] = static_cast<std::uint8_t>(pair[3] + colour.v / 2);
}

}  // namespace

camera::camera(std::uint64_t seed) : seed_(seed), background_(raw_frame_bytes) {
  for (unsigned y = 0; y < frame_height; ++y) {
    for (unsigned x = 0; x < frame_width; ++x) {
      const std::uint64_t i = std::uint64_t{y} * frame_width + x;
      const auto grain = static_cast<unsigned>(scramble(~(seed + i)) % 16);
      const unsigned luma = 40 + (x + y) * (brightest_background - 55) / 1120 + grain;
      background_[2 * i] = static_cast<std::uint8_t>(luma);
      background_[2 * i + 1] = neutral;
    }
  }
  frames_.fill(background_);
  shown_.fill(-1);
}

template <class Visit>
void camera::for_each_row(unsigned colour, unsigned number, const Visit& visit) const {
  const shape one = shape_of(colour, number, seed_);
  for (unsigned row = 0; row < one.height; ++row) {
    const columns in_row = columns_of(one, row);
    visit(one, one.top + row, one.left + in_row.first, one.left + in_row.end);
  }
}

void camera::draw(std::span<std::uint8_t> frame, unsigned number) const {
  for (unsigned colour = 0; colour < colours; ++colour) {
    for_each_row(colour, number, [&](const shape& one, unsigned y, unsigned first, unsigned end) {
      for (unsigned x = first; x < end; ++x) {
        paint(&frame[y * raw_row_bytes], x, one.luma, chroma_of(colour));
      }
    });
  }
}

void camera::erase(std::span<std::uint8_t> frame, unsigned number) const {
  for (unsigned colour = 0; colour < colours; ++colour) {
    for_each_row(colour, number, [&](const shape&, unsigned y, unsigned first, unsigned end) {
      const auto at = static_cast<std::ptrdiff_t>(y * raw_row_bytes + first / 2 * 4);
      const auto count = static_cast<std::ptrdiff_t>((end + 1) / 2 * 4 - first / 2 * 4);
      std::copy_n(background_.begin() + at, count, frame.begin() + at);
    });
  }
}

std::span<const std::uint8_t> camera::take(unsigned number) {
  auto& frame = frames_[number % ring];
  auto& shown = shown_[number % ring];
  if (shown >= 0) {
    erase(frame, static_cast<unsigned>(shown));
  }
  draw(frame, number);
  shown = number;
  return frame;
}

boxes camera::shapes_in(unsigned number) const {
  boxes found = no_boxes();
  for (unsigned colour = 0; colour < colours; ++colour) {
    for_each_row(colour, number, [&](const shape&, unsigned y, unsigned first, unsigned end) {
      for (unsigned x = first; x < end; ++x) {
        found[colour].add(x, y);
      }
    });
  }
  return found;
}

}  // namespace pinhole::scenarios
