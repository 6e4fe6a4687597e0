// The kernel of `text`: repairs misspelled words.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pinhole/core/view.hpp"
#include "pinhole/platform/stream.hpp"
#include "scenarios/dictionary.hpp"

namespace pinhole::scenarios {

/// One repaired byte of a text.
struct edit {
  std::uint32_t position = 0;
  char letter = ' ';
};

/// Where repairs go: into the text, or, where there is a list, onto it. Entry 0 of the list counts
/// the others in its `position`; the caller sets it to 0 and gives the list room for 2 + size / 2
/// entries.
struct repair_output {
  view<char> in_place;
  view<edit> list;
};

/// Queues the kernel on `work`: every word of `text` that is not listed, and that is one replaced
/// letter away from exactly one listed word, becomes that word; the letter keeps its case. `text`
/// may be the view that is written. It starts at a multiple of 16 bytes and is read once, 16 bytes
/// at a time. Throws fault::invalid_argument for another start and for texts of 4 GiB or more.
void repair(const stream_ref& work, view<const char> text, const dictionary_view& words,
            const repair_output& into);

namespace detail {

// A block repairs one tile. It loads more threads' worth of words than bytes: the last tile's
// repairs follow the last byte from the link, so they should take little time.
inline constexpr unsigned tile_bytes = 4096;
inline constexpr unsigned repair_threads = 512;

/// The kernel, in repair.cu; not there in a CPU-only build.
[[nodiscard]] const void* repair_kernel();

/// True when `letter` in place of letter `i` of `word` makes a listed word. `power` is hash_base to
/// the number of letters after i.
template <class Text>
PINHOLE_HD bool fits(const dictionary_view& words, spelling<Text> word, std::uint64_t hash,
                     unsigned i, char letter, std::uint64_t power) {
  const char old = word[i];
  if (old == '\'' || old == letter) {
    return false;
  }
  word.replaced = i;
  word.letter = letter;
  return words.contains(with_replaced(hash, old, letter, power), word);
}

}  // namespace detail

}  // namespace pinhole::scenarios
