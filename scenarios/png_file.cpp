// Encodes with libpng's simplified interface, in memory, so that a file is written whole.
#include "scenarios/png_file.hpp"

#include <png.h>

#include "pinhole/core/error.hpp"
#include "platform/linux/replace_file.hpp"

namespace pinhole::scenarios {

namespace {

[[noreturn]] void refuse(fault kind, const std::string& path, const std::string& reason) {
  throw error({.kind = kind,
               .asked = "use --png " + path,
               .call = {},
               .status = reason,
               .remedy = {},
               .sticky = false,
               .survives = {}});
}

std::string encoded(const std::string& path, picture_size size, std::span<const rgba> pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = size.width;
  image.height = size.height;
  image.format = PNG_FORMAT_RGBA;
  std::string file(PNG_IMAGE_PNG_SIZE_MAX(image), '\0');
  png_alloc_size_t bytes = file.size();
  if (png_image_write_to_memory(&image, file.data(), &bytes, 0, pixels.data(), 0, nullptr) == 0) {
    refuse(fault::call_failed, path, std::string("libpng says: ") + image.message);
  }
  file.resize(bytes);
  return file;
}

}  // namespace

void check_png(const std::string& path) {
  try {
    platform::check_replaceable(path);
  } catch (const error& refused) {
    refuse(fault::io, path, refused.what());
  }
}

void write_png(const std::string& path, picture_size size, std::span<const rgba> pixels) {
  const std::string file = encoded(path, size, pixels);
  try {
    platform::replace_file(path, file);
  } catch (const error& refused) {
    refuse(fault::io, path, refused.what());
  }
}

}  // namespace pinhole::scenarios
