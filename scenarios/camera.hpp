// A camera that needs no hardware: shapes that move, in frames as a webcam delivers them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "scenarios/frame.hpp"

namespace pinhole::scenarios {

/// Frames lie in a ring of camera memory, as those of a real driver do, so frame n is overwritten
/// by frame n + ring. Each shape is a rectangle or a disc in one colour, brighter than anything in
/// the background by 60 at least, and keeps to its own part of the picture. Every frame can be told
/// from its number and the seed alone.
class camera {
 public:
  static constexpr unsigned ring = 4;

  explicit camera(std::uint64_t seed);

  /// What the camera sees without any shape.
  [[nodiscard]] std::span<const std::uint8_t> background() const noexcept { return background_; }
  /// Writes frame `number` into camera memory and returns it. Allocates nothing.
  std::span<const std::uint8_t> take(unsigned number);
  /// The boxes of the shapes in that frame: what a detector has to find.
  [[nodiscard]] boxes shapes_in(unsigned number) const;

 private:
  /// Calls for each row of the shape's pixels with the row and the first and last column.
  template <class Visit>
  void for_each_row(unsigned colour, unsigned number, const Visit& visit) const;
  void draw(std::span<std::uint8_t> frame, unsigned number) const;
  void erase(std::span<std::uint8_t> frame, unsigned number) const;

  std::uint64_t seed_;
  std::vector<std::uint8_t> background_;
  std::array<std::vector<std::uint8_t>, ring> frames_;
  std::array<std::int64_t, ring> shown_;  ///< the frame's number; -1: the background alone
};

}  // namespace pinhole::scenarios
