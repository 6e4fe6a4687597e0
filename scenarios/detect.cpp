// Launches the detection, and does it on the CPU device.
#include "scenarios/detect.hpp"

#include <algorithm>

#include "pinhole/core/error.hpp"
#include "pinhole/memory/copy.hpp"
#include "pinhole/platform/launch.hpp"

namespace pinhole::scenarios {

namespace {

void look_at(const detail::tile_place& at, const std::uint8_t* frame, const std::uint8_t* empty,
             boxes& found) {
  for (unsigned row = 0; row < 2; ++row) {
    const std::uint8_t* const luma = frame + at.luma + std::size_t{row} * frame_width;
    const std::uint8_t* const background = empty + at.luma + std::size_t{row} * frame_width;
    for (unsigned i = 0; i < detail::tile_width; ++i) {
      if (detail::differs(luma[i], background[i])) {
        const unsigned colour = detail::colour_of(frame[at.u + i / 2], frame[at.v + i / 2]);
        found[colour].add(at.x + i, at.y + row);
      }
    }
  }
}

void detect(view<const std::uint8_t> frame, view<const std::uint8_t> background, view<box> found) {
  boxes all = no_boxes();
  for (unsigned tile = 0; tile < detail::tiles; ++tile) {
    look_at(detail::tile_place(tile), frame.data(), background.data(), all);
  }
  for (unsigned colour = 0; colour < colours; ++colour) {
    found[colour] = all[colour];
  }
}

}  // namespace

detector::detector(const device& where, std::span<const std::uint8_t> background)
    : background_(where, frame_bytes, {.host = host_memory::pageable}),
      sums_(where, 1, {.host = host_memory::pageable}) {
  if (background.size() != frame_bytes) {
    pinhole::detail::reject("detect shapes", "the background is not a whole frame");
  }
  copy_to_device(where, background_.device(), background);
  sums none{};
  std::ranges::fill(none.of, no_box());
  copy_to_device(where, sums_.device(), std::span(&none, 1));
}

void detector::find(const stream_ref& work, view<const std::uint8_t> frame, view<box> found) {
  if (frame.size() != frame_bytes || found.size() != colours ||
      reinterpret_cast<std::uintptr_t>(frame.data()) % 16 != 0) {
    pinhole::detail::reject("detect shapes", "this is not a whole frame at a multiple of 16 bytes");
  }
  view<const std::uint8_t> background = background_.device();
  launch_request request;
  request.name = "detect";
#if !defined(PINHOLE_CPU_ONLY)
  view<sums> all = sums_.device();
  void* arguments[] = {&frame, &background, &all, &found};
  request.cuda_kernel = detail::detect_kernel();
  request.arguments = arguments;
#endif
  request.threads = detail::detect_threads;
  request.blocks = (detail::tiles + detail::detect_threads - 1) / detail::detect_threads;
  if (work.where().kind() == device_kind::cpu) {
    request.blocks = 1;
    request.cpu_block = [=](unsigned, unsigned) { detect(frame, background, found); };
  }
  launch(work, request);
}

}  // namespace pinhole::scenarios
