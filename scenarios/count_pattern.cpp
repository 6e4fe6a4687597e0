// Launches the search, and does it on the CPU device.
#include "scenarios/count_pattern.hpp"

#include <algorithm>

#include "pinhole/platform/launch.hpp"

namespace pinhole::scenarios {

namespace {

std::uint64_t count_share(const pattern_search& what, unsigned block, unsigned blocks) {
  const std::size_t share = (what.begins + blocks - 1) / blocks;
  const std::size_t last = std::min(what.begins, share * (block + 1));
  std::uint64_t count = 0;
  for (std::size_t i = share * block; i < last; ++i) {
    // Behind the last quad there are zeros, which no pattern ends in.
    const std::uint64_t next = i + 1 < what.quads.size() ? what.quads[i + 1].low : 0;
    count += detail::matches_in(what.quads[i], next, what.pattern);
  }
  return count;
}

const void* kernel() {
#if defined(PINHOLE_CPU_ONLY)
  return nullptr;
#else
  return detail::search_kernel();
#endif
}

}  // namespace

unsigned blocks_for(const device& where, const pattern_search& what) {
  if (where.kind() == device_kind::cpu) {
    return what.begins < 4096 ? 1 : 2;
  }
  const std::size_t most = 4 * static_cast<std::size_t>(where.capabilities().multiprocessors);
  const std::size_t useful = (what.begins + detail::search_threads - 1) / detail::search_threads;
  return static_cast<unsigned>(std::clamp<std::size_t>(useful, 1, most));
}

void count_pattern(const stream_ref& work, const pattern_search& what, view<std::uint64_t> counts) {
  auto passed = what;
  void* arguments[] = {&passed, &counts};
  launch_request request;
  request.cuda_kernel = kernel();
  request.blocks = blocks_for(work.where(), what);
  request.threads = detail::search_threads;
  request.arguments = arguments;
  request.name = "count_pattern";
  if (work.where().kind() == device_kind::cpu) {
    request.cpu_block = [=](unsigned block, unsigned blocks) {
      counts[block] = count_share(what, block, blocks);
    };
  }
  launch(work, request);
}

}  // namespace pinhole::scenarios
