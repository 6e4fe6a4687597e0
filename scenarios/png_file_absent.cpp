// A build without libpng writes no pictures, and says so before any work is done.
#include "pinhole/core/error.hpp"
#include "scenarios/png_file.hpp"

namespace pinhole::scenarios {

void check_png(const std::string& path) {
  throw error({.kind = fault::not_supported,
               .asked = "use --png " + path,
               .call = {},
               .status = "this pinhole was built without libpng",
               .remedy = "install libpng-dev and build again",
               .sticky = false,
               .survives = {}});
}

void write_png(const std::string& path, picture_size /*size*/, std::span<const rgba> /*pixels*/) {
  check_png(path);
}

}  // namespace pinhole::scenarios
