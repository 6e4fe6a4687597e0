// Launches the sum, and does it on the CPU device.
#include "scenarios/sum_words.hpp"

#include <algorithm>
#include <cstdint>

#include "pinhole/core/error.hpp"
#include "pinhole/platform/launch.hpp"

namespace pinhole::scenarios {

namespace {

constexpr std::size_t reads_at_once = 4;
constexpr std::size_t words_of_16_bytes = 4;

template <class Words>
std::uint64_t sum_share(Words words, const word_pattern& pattern, unsigned block, unsigned blocks) {
  const std::size_t share = (pattern.reads() + blocks - 1) / blocks;
  const std::size_t last = std::min(pattern.reads(), share * (block + 1));
  std::uint64_t sum = 0;
  for (std::size_t i = share * block; i < last; ++i) {
    sum += words[i * pattern.stride];
  }
  return sum;
}

template <class Words, class Sums>
void queue(const stream_ref& work, const void* kernel, Words words, word_pattern pattern,
           Sums sums) {
  void* arguments[] = {static_cast<void*>(&words), &pattern, static_cast<void*>(&sums)};
  launch_request request;
  request.cuda_kernel = kernel;
  request.blocks = blocks_for(work.where(), pattern);
  request.threads = detail::sum_threads;
  request.arguments = arguments;
  request.name = "sum_words";
  if (work.where().kind() == device_kind::cpu) {
    request.cpu_block = [=](unsigned block, unsigned blocks) {
      sums[block] = sum_share(words, pattern, block, blocks);
    };
  }
  launch(work, request);
}

void require_aligned(const void* words) {
  if (reinterpret_cast<std::uintptr_t>(words) % 16 != 0) {
    pinhole::detail::reject("sum words", "they do not start at a multiple of 16 bytes");
  }
}

#if defined(PINHOLE_CPU_ONLY)
const void* kernel_over_view() {
  return nullptr;
}
const void* kernel_over_pointer() {
  return nullptr;
}
#else
const void* kernel_over_view() {
  return detail::sum_kernel();
}
const void* kernel_over_pointer() {
  return detail::sum_kernel_bare();
}
#endif

}  // namespace

unsigned blocks_for(const device& where, const word_pattern& pattern) {
  if (where.kind() == device_kind::cpu) {
    return pattern.reads() < 65536 ? 1 : 2;
  }
  const std::size_t words_at_once = pattern.stride == 1 ? words_of_16_bytes : 1;
  const std::size_t reads_of_block = detail::sum_threads * reads_at_once * words_at_once;
  const std::size_t most = 2 * static_cast<std::size_t>(where.capabilities().multiprocessors);
  return static_cast<unsigned>(
      std::clamp<std::size_t>((pattern.reads() + reads_of_block - 1) / reads_of_block, 1, most));
}

void sum_words(const stream_ref& work, view<const std::uint32_t> words, const word_pattern& pattern,
               view<std::uint64_t> sums) {
  require_aligned(words.data());
  queue(work, kernel_over_view(), words, pattern, sums);
}

void sum_words_bare(const stream_ref& work, const std::uint32_t* words, const word_pattern& pattern,
                    std::uint64_t* sums) {
  require_aligned(words);
  queue(work, kernel_over_pointer(), words, pattern, sums);
}

}  // namespace pinhole::scenarios
