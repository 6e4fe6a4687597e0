// Chooses once, by what the running CPU has.
#include "memory/wc_copy.hpp"

#include <array>

#include "memory/wc_copy_x86.hpp"
#include "memory/wc_lines.hpp"
#include "platform/fences.hpp"

namespace pinhole::detail {

namespace {

void store_lines_plain(std::byte* far, const std::byte* near, std::size_t lines) {
  for (auto words = lines * line_bytes / sizeof(word64); words > 0; --words) {
    store_word<word64>(far, near);
    far += sizeof(word64);
    near += sizeof(word64);
  }
}

void load_lines_plain(std::byte* near, const std::byte* far, std::size_t lines) {
  for (auto words = lines * line_bytes / sizeof(word64); words > 0; --words) {
    load_word<word64>(near, far);
    far += sizeof(word64);
    near += sizeof(word64);
  }
}

struct methods {
  std::array<wc_copies, 5> all{};
  std::size_t count = 0;
};

methods find_methods() noexcept {
  methods found;
  found.all[found.count++] = {wc_method::plain, store_by<store_lines_plain>,
                              load_by<load_lines_plain>};
#if defined(__x86_64__)
  found.count += x86_wc_copies(std::span(found.all).subspan(found.count));
#endif
  return found;
}

}  // namespace

std::string_view to_string(wc_method how) noexcept {
  switch (how) {
    case wc_method::plain:
      return "plain";
    case wc_method::sse2:
      return "sse2";
    case wc_method::avx2:
      return "avx2";
    case wc_method::avx512:
      return "avx512";
    case wc_method::movdir64b:
      break;
  }
  return "movdir64b";
}

std::span<const wc_copies> all_wc_copies() noexcept {
  static const methods found = find_methods();
  return std::span(found.all).first(found.count);
}

/// The last of the list, which is in the order of results/h200/vram.json (the samples *_by_*): on
/// Sapphire Rapids cores the stores of AVX2 and AVX-512 tie, loads gain by width, and MOVDIR64B is
/// no faster for a line and up to a fifth slower for 300 KB.
const wc_copies& best_wc_copies() noexcept {
  static const wc_copies& best = all_wc_copies().back();
  return best;
}

void wc_write(void* far, const void* near, std::size_t bytes) noexcept {
  best_wc_copies().store(static_cast<std::byte*>(far), static_cast<const std::byte*>(near), bytes);
  platform::drain_stores();
}

void wc_read(void* near, const void* far, std::size_t bytes) noexcept {
  platform::order_all();
  best_wc_copies().load(static_cast<std::byte*>(near), static_cast<const std::byte*>(far), bytes);
}

}  // namespace pinhole::detail
