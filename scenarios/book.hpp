// The input of `text` and what it should become, found out the plain way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/scenario.hpp"

namespace pinhole::scenarios {

/// A text with misspelled words and the same text after their repair.
struct book {
  std::string damaged;
  std::string repaired;
  std::size_t unlisted = 0;  ///< words of the damaged text that are not in the list
  std::size_t repairs = 0;   ///< letters in which the two differ

  /// "word 17 (byte 120): expected 'house', got 'hause'", for the first difference; empty: none.
  [[nodiscard]] std::optional<std::string> first_difference(std::string_view got) const;
};

/// What the user chose by --text and --words, or the defaults. Reading it throws what read_input()
/// throws, and fault::invalid_argument for a word list without a word.
struct book_sources {
  std::string text;
  std::vector<std::string> words;
  bool is_default_text = false;
};
[[nodiscard]] book_sources read_book_sources(const settings& asked);

/// `text` again and again until it has `size` bytes. It is cut before a word (a character, where it
/// has no words) and filled up with line ends.
[[nodiscard]] std::string repeated(std::string_view text, std::size_t size);

/// Puts another letter into up to `count` different words of six letters or more, chosen by `seed`.
/// Returns into how many.
unsigned damage(std::string& text, unsigned count, std::uint64_t seed);

/// Looks up and repairs one word after the other. Shares no code with the kernel.
[[nodiscard]] book repair_plainly(std::string text, const std::vector<std::string>& words);

}  // namespace pinhole::scenarios
