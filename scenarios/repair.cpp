// Launches the repair, and does it on the CPU device.
#include "scenarios/repair.hpp"

#include <limits>

#include "pinhole/core/error.hpp"
#include "pinhole/platform/launch.hpp"

namespace pinhole::scenarios {

namespace {

struct whole_text {
  view<const char> bytes;
  char operator[](std::ptrdiff_t at) const {
    return at >= 0 && static_cast<std::size_t>(at) < bytes.size()
               ? bytes[static_cast<std::size_t>(at)]
               : ' ';
  }
};

/// The only way to repair a word: letter `i` becomes `letter`. None: found is 0; several: above 1.
struct finding {
  unsigned found = 0;
  unsigned i = 0;
  char letter = ' ';
};

finding look_for_repair(const dictionary_view& words, const spelling<whole_text>& word,
                        std::uint64_t hash) {
  finding result;
  std::uint64_t power = 1;
  for (unsigned i = word.length; i-- > 0; power *= hash_base) {
    for (char letter = 'a'; letter <= 'z'; ++letter) {
      if (detail::fits(words, word, hash, i, letter, power)) {
        result = {.found = result.found + 1, .i = i, .letter = letter};
      }
    }
  }
  return result;
}

void put(const repair_output& into, std::size_t position, char letter) {
  if (into.list.empty()) {
    into.in_place[position] = letter;
  } else {
    into.list[++into.list[0].position] = {static_cast<std::uint32_t>(position), letter};
  }
}

void repair_all(view<const char> bytes, const dictionary_view& words, const repair_output& into) {
  const whole_text text{bytes};
  unsigned length = 0;
  for (std::ptrdiff_t at = 0; at < static_cast<std::ptrdiff_t>(bytes.size()); at += length + 1) {
    length = starts_word(text, at) ? length_of_word(text, at) : 0;
    if (length == 0) {
      continue;
    }
    const spelling<whole_text> word{.text = text, .first = at, .length = length};
    const std::uint64_t hash = hash_of(word, length);
    if (words.contains(hash, word)) {
      continue;
    }
    if (const auto way = look_for_repair(words, word, hash); way.found == 1) {
      const std::ptrdiff_t position = at + way.i;
      put(into, static_cast<std::size_t>(position), in_case_of(text[position], way.letter));
    }
  }
}

}  // namespace

void repair(const stream_ref& work, view<const char> text, const dictionary_view& words,
            const repair_output& into) {
  if (reinterpret_cast<std::uintptr_t>(text.data()) % 16 != 0) {
    pinhole::detail::reject("repair a text", "it does not start at a multiple of 16 bytes");
  }
  if (text.size() > std::numeric_limits<std::uint32_t>::max()) {
    pinhole::detail::reject("repair a text", "it has 4 GiB or more");
  }
  if (text.empty()) {
    return;
  }
  launch_request request;
  request.name = "repair";
#if !defined(PINHOLE_CPU_ONLY)
  auto dictionary = words;
  auto output = into;
  void* arguments[] = {&text, &dictionary, &output};
  request.cuda_kernel = detail::repair_kernel();
  request.arguments = arguments;
#endif
  request.threads = detail::repair_threads;
  request.blocks =
      static_cast<unsigned>((text.size() + detail::tile_bytes - 1) / detail::tile_bytes);
  if (work.where().kind() == device_kind::cpu) {
    // One block: what borders on two shares would be read by one thread while the other repairs it.
    request.blocks = 1;
    request.cpu_block = [=](unsigned, unsigned) { repair_all(text, words, into); };
  }
  launch(work, request);
}

}  // namespace pinhole::scenarios
