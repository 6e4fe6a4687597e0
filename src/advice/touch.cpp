// Launches the kernel, and does the same on the CPU device.
#include "advice/touch.hpp"

#include <algorithm>
#include <string>

#include "pinhole/core/error.hpp"
#include "pinhole/platform/launch.hpp"

namespace pinhole::advice {

namespace {

constexpr std::uint64_t word = sizeof(std::uint32_t);
constexpr std::uint64_t most_words = std::uint64_t{1} << 31U;

bool in_pieces_of_16_bytes(const touch_plan& plan) {
  return plan.run_words % 4 == 0;
}

std::uint64_t pieces_of(const touch_plan& plan) {
  const std::uint64_t words = std::uint64_t{plan.runs.size()} * plan.run_words;
  return in_pieces_of_16_bytes(plan) ? words / 4 : words;
}

std::uint64_t touch_run(std::uint32_t* words, const touch_plan& plan, bool writes) {
  std::uint64_t sum = 0;
  for (std::uint32_t k = 0; plan.reads && k < plan.run_words; ++k) {
    sum += words[k];
  }
  for (std::uint32_t k = 0; writes && k < plan.run_words; ++k) {
    words[k] = content_of(k, plan.tag);
  }
  return sum;
}

/// The block's share of the runs.
std::uint64_t touch_share(view<std::uint32_t> words, const touch_plan& plan, unsigned block,
                          unsigned blocks) {
  const std::uint32_t share = (plan.runs.size() + blocks - 1) / blocks;
  const std::uint32_t last = std::min(plan.runs.size(), share * (block + 1));
  std::uint64_t sum = 0;
  for (std::uint32_t pass = 0; pass < plan.passes; ++pass) {
    for (std::uint32_t i = share * block; i < last; ++i) {
      sum += touch_run(&words[plan.start_of(i)], plan, plan.writes && pass + 1 == plan.passes);
    }
  }
  return sum;
}

#if defined(PINHOLE_CPU_ONLY)
const void* kernel_for(const touch_plan& /*plan*/) {
  return nullptr;
}
#else
const void* kernel_for(const touch_plan& plan) {
  return detail::touch_kernel(in_pieces_of_16_bytes(plan));
}
#endif

}  // namespace

touch_plan plan_of(const access_pattern& pattern, std::uint32_t key) {
  require_valid(pattern);
  const std::uint64_t run_bytes = units_of_run(pattern) * pattern.unit_bytes;
  if (pattern.unit_bytes % word != 0 || pattern.bytes / word > most_words) {
    pinhole::detail::reject("touch units of " + std::to_string(pattern.unit_bytes) + " B in " +
                                std::to_string(pattern.bytes) + " B",
                            "allowed are whole words of 4 B, up to 8 GiB of them");
  }
  return {.runs = {static_cast<std::uint32_t>(pattern.touched_bytes() / run_bytes),
                   static_cast<std::uint32_t>(pattern.bytes / run_bytes), key},
          .run_words = static_cast<std::uint32_t>(run_bytes / word),
          .passes = static_cast<std::uint32_t>(pattern.reads_of_each_byte),
          .tag = 0,
          .reads = does_read(pattern.device),
          .writes = does_write(pattern.device)};
}

unsigned blocks_for(const device& where, const touch_plan& plan) {
  const std::uint64_t pieces = pieces_of(plan);
  if (where.kind() == device_kind::cpu) {
    // A block is a thread here, and the runs are shared.
    return pieces < 16384 || plan.runs.size() < 2 ? 1 : 2;
  }
  constexpr std::uint64_t blocks_of_multiprocessor = 2048 / detail::touch_threads;
  const auto most =
      blocks_of_multiprocessor * static_cast<std::uint64_t>(where.capabilities().multiprocessors);
  return static_cast<unsigned>(std::clamp<std::uint64_t>(
      (pieces + detail::touch_threads - 1) / detail::touch_threads, 1, most));
}

void touch(const stream_ref& work, view<std::uint32_t> words, const touch_plan& plan,
           view<std::uint64_t> sums) {
  touch_plan what = plan;
  void* arguments[] = {&words, &what, &sums};
  launch_request request;
  request.cuda_kernel = kernel_for(plan);
  request.blocks = blocks_for(work.where(), plan);
  request.threads = detail::touch_threads;
  request.arguments = arguments;
  request.name = "touch";
  if (work.where().kind() == device_kind::cpu) {
    request.cpu_block = [=](unsigned block, unsigned blocks) {
      const std::uint64_t sum = touch_share(words, plan, block, blocks);
      if (plan.reads) {
        sums[block] = sum;
      }
    };
  }
  launch(work, request);
}

std::uint64_t sum_of(const touch_plan& plan, std::uint32_t tag) {
  std::uint64_t period = 0;
  std::uint64_t rest = 0;
  for (std::uint64_t k = 0; k < std::min<std::uint64_t>(content_period, plan.run_words); ++k) {
    period += content_of(k, tag);
    rest += k < plan.run_words % content_period ? content_of(k, tag) : 0;
  }
  return std::uint64_t{plan.passes} * plan.runs.size() *
         (plan.run_words / content_period * period + rest);
}

}  // namespace pinhole::advice
