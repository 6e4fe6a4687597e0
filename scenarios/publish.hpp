// The kernel of `coherence`: writes a result that the host wants to read, and may say when it is
// there.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pinhole/core/view.hpp"
#include "pinhole/platform/stream.hpp"
#include "scenarios/drawing.hpp"

namespace pinhole::scenarios {

/// Word `i` of the result of turn `turn`; differs from turn to turn in every word.
[[nodiscard]] PINHOLE_HD constexpr std::uint32_t result_word(std::uint32_t turn,
                                                             std::size_t i) noexcept {
  return turn * 0x9E3779B1U + static_cast<std::uint32_t>(scramble(i));
}

/// Queues a kernel on `work` that writes all words of `result`. Where there is a `flag`, it then
/// writes `turn` into it with release order at system scope: a host that has read the turn with
/// acquire order sees every word of the result, although the kernel may still run. The flag must
/// lie in host memory, and the device is its only writer while the kernel runs.
void publish(const stream_ref& work, view<std::uint32_t> result, view<std::uint32_t> flag,
             std::uint32_t turn);

namespace detail {
inline constexpr unsigned publish_threads = 256;
/// The kernel, in publish.cu; not there in a CPU-only build.
[[nodiscard]] const void* publish_kernel();
}  // namespace detail

}  // namespace pinhole::scenarios
