// Three ways to write a line.
#include "signal/doorbell.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "pinhole/signal/mailbox_end.hpp"
#include "pinhole/signal/words.hpp"
#include "platform/direct_store.hpp"
#include "platform/fences.hpp"
#include "signal/memory.hpp"

namespace pinhole::detail {

doorbell::doorbell(const storage& lines) noexcept
    : road_(!is_write_combining(lines)       ? road::ordinary
            : platform::can_store_directly() ? road::direct
                                             : road::write_combining) {}

void doorbell::ring(std::byte* line, const void* payload, std::size_t bytes, std::uint32_t tag,
                    bool ordered) const noexcept {
  constexpr std::size_t words_per_line = kernel::message::line_bytes / sizeof(std::uint64_t);
  std::array<std::uint32_t, words_per_line> parts{};
  std::memcpy(parts.data(), payload, bytes);
  alignas(kernel::message::line_bytes) std::array<std::uint64_t, words_per_line> pieces;
  std::ranges::transform(parts, pieces.begin(),
                         [tag](std::uint32_t part) { return part | std::uint64_t{tag} << 32U; });
  if (road_ != road::ordinary && ordered) {
    platform::drain_stores();
  }
  if (road_ == road::direct) {
    platform::store_directly(line, pieces.data());
    return;
  }
  auto* const words = reinterpret_cast<std::uint64_t*>(line);
  for (std::size_t i = 0; i < words_per_line; ++i) {
    words::store(words + i, pieces[i]);
  }
  if (road_ == road::write_combining) {
    platform::drain_stores();
  }
}

}  // namespace pinhole::detail
