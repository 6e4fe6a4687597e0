// Launches the smoothing, and does it on the CPU device.
#include "scenarios/smooth.hpp"

#include <algorithm>
#include <array>

#include "pinhole/core/error.hpp"
#include "pinhole/platform/launch.hpp"

namespace pinhole::scenarios {

namespace {

using image_row = std::array<pixel, image_width>;

void load(const image_view& from, std::size_t row, image_row& into) {
  for (std::size_t x = 0; x < image_width; ++x) {
    into[x] = from[row * image_width + x];
  }
}

void smooth_row(const image_row& above, const image_row& here, const image_row& below,
                const image_view& to, std::size_t row) {
  std::array<pixel, image_width + 2> sums;  // over three rows; one column more on each side
  for (std::size_t x = 0; x < image_width; ++x) {
    sums[x + 1] = above[x] + 2 * here[x] + below[x];
  }
  sums.front() = sums[1];
  sums.back() = sums[image_width];
  for (std::size_t x = 0; x < image_width; ++x) {
    to[row * image_width + x] = (sums[x] + 2 * sums[x + 1] + sums[x + 2]) / 16;
  }
}

void smooth_share(const image_view& from, const image_view& to, unsigned block, unsigned blocks) {
  const std::size_t rows = from.rows();
  const std::size_t share = (rows + blocks - 1) / blocks;
  const std::size_t first = std::min(rows, share * block);
  const std::size_t last = std::min(rows, first + share);
  std::array<image_row, 3> loaded;  // row r is in loaded[r % 3]
  if (first < last) {
    load(from, first == 0 ? 0 : first - 1, loaded[(first + 2) % 3]);
    load(from, first, loaded[first % 3]);
  }
  for (std::size_t row = first; row < last; ++row) {
    load(from, std::min(row + 1, rows - 1), loaded[(row + 1) % 3]);
    smooth_row(loaded[(row + 2) % 3], loaded[row % 3], loaded[(row + 1) % 3], to, row);
  }
}

}  // namespace

void smooth(const stream_ref& work, const image_view& from, const image_view& to) {
  if (from.pixels.size() != to.pixels.size() || from.pixels.size() % image_width != 0) {
    pinhole::detail::reject("smooth an image", "the two are not images of the same size");
  }
  if (from.pixels.empty()) {
    return;
  }
  launch_request request;
  request.name = "smooth";
#if !defined(PINHOLE_CPU_ONLY)
  auto source = from;
  auto target = to;
  void* arguments[] = {&source, &target};
  request.cuda_kernel = detail::smooth_kernel();
  request.arguments = arguments;
#endif
  request.threads = image_width;
  request.blocks =
      static_cast<unsigned>((from.rows() + detail::rows_of_block - 1) / detail::rows_of_block);
  if (work.where().kind() == device_kind::cpu) {
    request.blocks = from.rows() < 128 ? 1 : 2;
    request.cpu_block = [=](unsigned block, unsigned blocks) {
      smooth_share(from, to, block, blocks);
    };
  }
  launch(work, request);
}

}  // namespace pinhole::scenarios
