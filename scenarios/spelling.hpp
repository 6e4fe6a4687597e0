// What a word is, for host and device code alike.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pinhole/core/config.hpp"

namespace pinhole::scenarios {

/// Longer words are left alone; the longest one in English dictionaries has 23 letters.
inline constexpr unsigned longest_word = 32;

PINHOLE_HD constexpr char folded(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}
PINHOLE_HD constexpr bool is_letter(char c) noexcept {
  return folded(c) >= 'a' && folded(c) <= 'z';
}
/// `letter`, which is a small one, in the case of `like`.
PINHOLE_HD constexpr char in_case_of(char like, char letter) noexcept {
  return like >= 'A' && like <= 'Z' ? static_cast<char>(letter - ('a' - 'A')) : letter;
}
/// Letters, and what makes a run of letters something else than an English word: digits,
/// underscores and all bytes of UTF-8 beyond ASCII.
PINHOLE_HD constexpr bool is_word_byte(char c) noexcept {
  return is_letter(c) || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80U;
}

// The functions below take any `text` whose operator[] gives the byte at a std::ptrdiff_t, and a
// space outside of the text.

/// True for bytes of a word: word bytes, and apostrophes between two of them.
template <class Text>
PINHOLE_HD constexpr bool is_inside_word(const Text& text, std::ptrdiff_t at) {
  const char c = text[at];
  return is_word_byte(c) || (c == '\'' && is_word_byte(text[at - 1]) && is_word_byte(text[at + 1]));
}

/// True where a run of word bytes begins, with a letter.
template <class Text>
PINHOLE_HD constexpr bool starts_word(const Text& text, std::ptrdiff_t at) {
  return is_letter(text[at]) && !is_inside_word(text, at - 1);
}

/// Length of the word that starts at `at`, where starts_word() is true; 0 when it is none after
/// all: something other than letters and apostrophes is in it, or it is longer than longest_word.
/// Looks at most longest_word + 2 bytes ahead.
template <class Text>
PINHOLE_HD constexpr unsigned length_of_word(const Text& text, std::ptrdiff_t at) {
  unsigned length = 1;
  while (is_inside_word(text, at + length)) {
    const char c = text[at + length];
    if ((!is_letter(c) && c != '\'') || length == longest_word) {
      return 0;
    }
    ++length;
  }
  return length;
}

/// Letters of a word in small letters, one of which may be replaced.
template <class Text>
struct spelling {
  const Text& text;
  std::ptrdiff_t first = 0;
  unsigned length = 0;
  unsigned replaced = longest_word;  ///< position of the replaced letter; past the end: none
  char letter = ' ';

  PINHOLE_HD constexpr char operator[](unsigned i) const {
    return i == replaced ? letter : folded(text[first + i]);
  }
};

/// A hash in which one letter can be replaced without reading the others: the letters are the
/// digits of a number, modulo 2^64.
inline constexpr std::uint64_t hash_base = 0x9E3779B97F4A7C15U;

template <class Letters>
PINHOLE_HD constexpr std::uint64_t hash_of(const Letters& letters, unsigned length) {
  std::uint64_t hash = 0;
  for (unsigned i = 0; i < length; ++i) {
    hash = hash * hash_base + static_cast<unsigned char>(letters[i]);
  }
  return hash;
}

/// `power` is hash_base to the number of letters after the replaced one.
PINHOLE_HD constexpr std::uint64_t with_replaced(std::uint64_t hash, char old, char letter,
                                                 std::uint64_t power) {
  return hash + (std::uint64_t{static_cast<unsigned char>(letter)} -
                 std::uint64_t{static_cast<unsigned char>(old)}) *
                    power;
}

}  // namespace pinhole::scenarios
