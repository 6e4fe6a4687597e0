// A word list in device memory, in which kernels look words up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pinhole/core/view.hpp"
#include "pinhole/memory/staged_buffer.hpp"
#include "scenarios/spelling.hpp"

namespace pinhole::scenarios {

/// The words of a list with one word a line: those of letters and inner apostrophes of ASCII, up to
/// longest_word of them, in small letters, sorted, each once. Other lines are left out.
[[nodiscard]] std::vector<std::string> words_of(std::string_view list);

/// One place of the hash table: a word, or none when the length is 0.
struct alignas(16) word_slot {
  std::uint64_t hash = 0;
  std::uint32_t first = 0;  ///< of its letters
  std::uint32_t length = 0;
};

PINHOLE_HD constexpr std::size_t slot_of(std::uint64_t hash, std::size_t slots) noexcept {
  hash ^= hash >> 29U;
  hash *= 0xBF58476D1CE4E5B9U;
  return (hash >> 32U) & (slots - 1);
}

/// What kernels get. The table is a power of two, never more than half full, and probed in order.
struct dictionary_view {
  view<const word_slot> slots;
  view<const char> letters;

  /// True when the word that `word` spells, whose hash is `hash`, is listed.
  template <class Text>
  [[nodiscard]] PINHOLE_HD bool contains(std::uint64_t hash, const spelling<Text>& word) const {
    std::size_t at = slot_of(hash, slots.size());
    while (true) {
      const word_slot slot = slots[at];
      if (slot.length == 0) {
        return false;
      }
      if (slot.hash == hash && slot.length == word.length && spells(slot, word)) {
        return true;
      }
      at = (at + 1) & (slots.size() - 1);
    }
  }

 private:
  /// Compares all letters, without an early end: their loads then do not wait for each other.
  template <class Text>
  [[nodiscard]] PINHOLE_HD bool spells(const word_slot& slot, const spelling<Text>& word) const {
    bool same = true;
    for (unsigned i = 0; i < slot.length; ++i) {
      same &= letters[slot.first + i] == word[i];
    }
    return same;
  }
};

/// Owns the table on the device. The constructor uploads it and waits.
class dictionary {
 public:
  /// Throws fault::invalid_argument for more than 4 GiB of letters.
  dictionary(const device& where, const std::vector<std::string>& words);

  [[nodiscard]] dictionary_view on_device() const { return {slots_.device(), letters_.device()}; }

 private:
  stream work_;  // outlives the buffers that are handed over on it
  staged_buffer<word_slot> slots_;
  staged_buffer<char> letters_;
};

}  // namespace pinhole::scenarios
