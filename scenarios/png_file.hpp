// Pictures as PNG files.
#pragma once

#include <span>
#include <string>

#include "scenarios/shading.hpp"

namespace pinhole::scenarios {

/// Throws the error that write_png would throw for this path as things are now: fault::io for one
/// that cannot be written, fault::not_supported when pinhole was built without libpng.
void check_png(const std::string& path);

/// Writes the pixels, row by row, as a PNG file: whole, or not at all. Throws as check_png does.
void write_png(const std::string& path, picture_size size, std::span<const rgba> pixels);

}  // namespace pinhole::scenarios
