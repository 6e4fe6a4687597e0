// Prepares the text, and repairs it word by word with the standard library's containers.
#include "scenarios/book.hpp"

#include <algorithm>
#include <cctype>
#include <random>
#include <unordered_set>
#include <utility>

#include "scenarios/dictionary.hpp"
#include "scenarios/inputs.hpp"

namespace pinhole::scenarios {

namespace {

const input text_input = {.option = "--text",
                          .what = "a file of UTF-8 text",
                          .remedy = "the GPL-3 text of Debian's base-files",
                          .bundled_name = "GPL-3",
                          .usual = {"/usr/share/common-licenses/GPL-3"}};
const input words_input = {.option = "--words",
                           .what = "a file of UTF-8 text, one word a line",
                           .remedy = "the word list of Debian's wamerican",
                           .bundled_name = "american-english",
                           .usual = {"/usr/share/dict/words", "/usr/share/dict/american-english"}};

constexpr std::string_view small_letters = "abcdefghijklmnopqrstuvwxyz";
constexpr std::string_view word_bytes =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

using word_set = std::unordered_set<std::string>;

struct place {
  std::size_t first = 0;
  std::size_t length = 0;
};

bool belongs_to_word(char c) {
  return static_cast<unsigned char>(c) > 127 || word_bytes.find(c) != std::string_view::npos;
}

bool is_ascii_letter(char c) {
  return word_bytes.substr(0, 52).find(c) != std::string_view::npos;
}

char small(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

/// Runs of bytes that belong to words, and of apostrophes between two of those.
std::vector<place> runs_of(std::string_view text) {
  std::vector<place> runs;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t first = at;
    while (at < text.size() && (belongs_to_word(text[at]) ||
                                (text[at] == '\'' && at > first && belongs_to_word(text[at - 1]) &&
                                 at + 1 < text.size() && belongs_to_word(text[at + 1])))) {
      ++at;
    }
    if (at > first) {
      runs.push_back({first, at - first});
    } else {
      ++at;
    }
  }
  return runs;
}

/// The runs that are English words: nothing but letters and apostrophes, and not too long.
std::vector<place> words_in(std::string_view text) {
  auto runs = runs_of(text);
  std::erase_if(runs, [&](const place& run) {
    return run.length > longest_word ||
           !std::ranges::all_of(text.substr(run.first, run.length),
                                [](char c) { return is_ascii_letter(c) || c == '\''; });
  });
  return runs;
}

/// The replaced letter that makes `word` a listed one, if exactly one does.
std::optional<std::pair<std::size_t, char>> only_repair(const std::string& word,
                                                        const word_set& list) {
  std::optional<std::pair<std::size_t, char>> only;
  for (std::size_t i = 0; i < word.size(); ++i) {
    std::string other = word;
    for (const char letter : small_letters) {
      other[i] = letter;
      if (word[i] == '\'' || !list.contains(other)) {
        continue;
      }
      if (only) {
        return std::nullopt;
      }
      only = {i, letter};
    }
  }
  return only;
}

std::string shown(std::string_view text, const place& word) {
  return "'" + std::string(text.substr(word.first, word.length)) + "'";
}

}  // namespace

book_sources read_book_sources(const settings& asked) {
  book_sources sources;
  sources.is_default_text = asked.text_file.empty();
  sources.text = read_input(text_input, asked.text_file);
  sources.words = words_of(read_input(words_input, asked.words_file));
  if (sources.words.empty()) {
    refuse_input(fault::invalid_argument, words_input, asked.words_file,
                 "it has no line that is a word of ASCII letters");
  }
  return sources;
}

std::string repeated(std::string_view text, std::size_t size) {
  std::string result;
  result.reserve(size + text.size());
  while (result.size() < size) {
    result += text;
  }
  if (result.size() == size) {
    return result;
  }
  // One byte too many tells whether the cut is between words.
  const auto blank = result.find_last_of(" \t\r\n", size);
  std::size_t cut = blank == std::string::npos ? size : blank;
  while (cut > 0 && (static_cast<unsigned char>(result[cut]) & 0xC0U) == 0x80) {
    --cut;
  }
  result.resize(cut);
  result.resize(size, '\n');
  return result;
}

unsigned damage(std::string& text, unsigned count, std::uint64_t seed) {
  constexpr std::size_t least_letters = 6;
  auto words = words_in(text);
  std::erase_if(words, [](const place& word) { return word.length < least_letters; });
  std::mt19937_64 random(seed);
  unsigned damaged = 0;
  for (; damaged < count && !words.empty(); ++damaged) {
    const std::size_t chosen = random() % words.size();
    const place word = words[chosen];
    std::size_t at = word.first + random() % word.length;
    while (text[at] == '\'') {
      --at;  // a word begins with a letter
    }
    const auto old = small_letters.find(small(text[at]));
    const char letter = small_letters[(old + 1 + random() % 25) % 26];
    const bool large = text[at] != small(text[at]);
    text[at] = large ? static_cast<char>(std::toupper(letter)) : letter;
    words[chosen] = words.back();
    words.pop_back();
  }
  return damaged;
}

book repair_plainly(std::string text, const std::vector<std::string>& words) {
  const word_set list(words.begin(), words.end());
  book result;
  result.repaired = text;
  for (const place& found : words_in(text)) {
    std::string word = text.substr(found.first, found.length);
    std::ranges::transform(word, word.begin(), small);
    if (list.contains(word)) {
      continue;
    }
    ++result.unlisted;
    if (const auto repair = only_repair(word, list)) {
      const auto [i, letter] = *repair;
      char& changed = result.repaired[found.first + i];
      changed = std::isupper(static_cast<unsigned char>(changed)) != 0
                    ? static_cast<char>(std::toupper(letter))
                    : letter;
      ++result.repairs;
    }
  }
  result.damaged = std::move(text);
  return result;
}

std::optional<std::string> book::first_difference(std::string_view got) const {
  const auto differs = std::ranges::mismatch(repaired, got);
  if (differs.in1 == repaired.end() && differs.in2 == got.end()) {
    return std::nullopt;
  }
  const auto byte = static_cast<std::size_t>(differs.in1 - repaired.begin());
  const auto words = words_in(repaired);
  const auto holds_byte = [&](const place& word) {
    return word.first <= byte && byte < word.first + word.length;
  };
  if (const auto word = std::ranges::find_if(words, holds_byte); word != words.end()) {
    return "word " + std::to_string(word - words.begin()) + " (byte " + std::to_string(byte) +
           "): expected " + shown(repaired, *word) + ", got " + shown(got, *word);
  }
  return "byte " + std::to_string(byte) + ": expected " + shown(repaired, {byte, 1}) + ", got " +
         shown(got, {std::min(byte, got.size()), 1});
}

}  // namespace pinhole::scenarios
