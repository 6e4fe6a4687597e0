// The CPU's part of `video`: from the camera's format to the detector's.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "scenarios/frame.hpp"

namespace pinhole::scenarios {

/// Converts one band of a raw frame; `band` has band_bytes and is written once, from front to back
/// in each of its planes. U and V of a square are the means of its two rows.
class converter {
 public:
  virtual ~converter() = default;
  virtual void convert(std::span<const std::uint8_t> raw, unsigned which,
                       std::span<std::uint8_t> band) = 0;
  /// "libswscale 6.7.100", or "a loop of our own".
  [[nodiscard]] virtual std::string name() const = 0;
};

/// By libswscale where the program was built with it, else ours. One for each thread.
[[nodiscard]] std::unique_ptr<converter> make_converter();
[[nodiscard]] std::unique_ptr<converter> make_own_converter();
#if defined(PINHOLE_SWSCALE)
[[nodiscard]] std::unique_ptr<converter> make_swscale_converter();
#endif

}  // namespace pinhole::scenarios
