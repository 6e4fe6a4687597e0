// Reads word lists and builds the hash table.
#include "scenarios/dictionary.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>

#include "pinhole/core/error.hpp"
#include "scenarios/arms.hpp"

namespace pinhole::scenarios {

namespace {

constexpr staged_options pageable = {.host = host_memory::pageable};

std::string_view trimmed(std::string_view line) {
  constexpr std::string_view blank = " \t\r\f\v";
  const auto first = line.find_first_not_of(blank);
  return first == std::string_view::npos
             ? std::string_view()
             : line.substr(first, line.find_last_not_of(blank) - first + 1);
}

bool is_listable(std::string_view word) {
  if (word.empty() || word.size() > longest_word || word.front() == '\'' || word.back() == '\'' ||
      word.find("''") != std::string_view::npos) {
    return false;
  }
  return std::ranges::all_of(word, [](char c) { return is_letter(c) || c == '\''; });
}

std::size_t slots_for(const std::vector<std::string>& words) {
  return std::bit_ceil(2 * words.size() + 1);
}

std::size_t letters_of(const std::vector<std::string>& words) {
  std::size_t letters = 0;
  for (const auto& word : words) {
    letters += word.size();
  }
  if (letters > std::numeric_limits<std::uint32_t>::max()) {
    detail::reject("upload a word list", "it has more than 4 GiB of letters");
  }
  return letters;
}

void insert(std::span<word_slot> slots, const word_slot& word) {
  std::size_t at = slot_of(word.hash, slots.size());
  while (slots[at].length != 0) {
    at = (at + 1) & (slots.size() - 1);
  }
  slots[at] = word;
}

}  // namespace

std::vector<std::string> words_of(std::string_view list) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (list.starts_with(byte_order_mark)) {
    list.remove_prefix(byte_order_mark.size());
  }
  std::vector<std::string> words;
  while (!list.empty()) {
    const auto end = std::min(list.find('\n'), list.size());
    const auto word = trimmed(list.substr(0, end));
    if (is_listable(word)) {
      std::ranges::transform(word, std::back_inserter(words.emplace_back()), folded);
    }
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  std::ranges::sort(words);
  const auto twice = std::ranges::unique(words);
  words.erase(twice.begin(), twice.end());
  return words;
}

dictionary::dictionary(const device& where, const std::vector<std::string>& words)
    : work_(where),
      slots_(where, slots_for(words), pageable),
      letters_(where, letters_of(words), pageable) {
  std::ranges::fill(slots_.host(), word_slot{});
  std::uint32_t first = 0;
  for (const auto& word : words) {
    const auto length = static_cast<std::uint32_t>(word.size());
    std::ranges::copy(word, letters_.host().begin() + first);
    insert(slots_.host(), {.hash = hash_of(word, length), .first = first, .length = length});
    first += length;
  }
  slots_.to_device(work_);
  letters_.to_device(work_);
  work_.wait(patience);
}

}  // namespace pinhole::scenarios
