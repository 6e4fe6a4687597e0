// The repairing kernel: cases made by hand, and random ones against all pairs of words.
#include "scenarios/repair.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "pinhole/memory/mapped_buffer.hpp"
#include "scenarios/arms.hpp"
#include "scenarios/book.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/unit/scenarios/devices.hpp"

namespace pinhole::scenarios {
namespace {

const std::vector<std::string> few_words = {"cat",  "cot",     "don't", "house",
                                            "it's", "o'clock", "zebra"};

/// The text after the kernel has written its repairs into it.
std::string in_place(const device& where, const std::string& text, const dictionary& words) {
  const stream work(where);
  mapped_buffer<char> shared(where, text.size());
  std::ranges::copy(text, shared.host().begin());
  shared.to_device(work);
  repair(work, shared.device(), words.on_device(), {.in_place = shared.device(), .list = {}});
  shared.to_host(work);
  work.wait(patience);
  return {shared.host().begin(), shared.host().end()};
}

/// The text after the host has applied the kernel's list of repairs.
std::string by_list(const device& where, std::string text, const dictionary& words) {
  const stream work(where);
  staged_buffer<char> up(where, text.size());
  staged_buffer<edit> list(where, 2 + text.size() / 2);
  std::ranges::copy(text, up.host().begin());
  list.host()[0] = {};
  up.to_device(work);
  list.to_device(work, 0, 1);
  repair(work, up.device(), words.on_device(), {.in_place = {}, .list = list.device()});
  list.to_host(work);
  work.wait(patience);
  for (const edit& change : list.host().subspan(1, list.host()[0].position)) {
    text[change.position] = change.letter;
  }
  return text;
}

/// Expects the kernel in both its ways, on every device, and the plain reference to agree.
void expect_repaired(const std::string& text, const std::string& expected,
                     const std::vector<std::string>& words = few_words) {
  EXPECT_EQ(repair_plainly(text, words).repaired, expected);
  for (const auto& where : test::all_devices()) {
    SCOPED_TRACE(where.id());
    const dictionary on_device(where, words);
    EXPECT_EQ(in_place(where, text, on_device), expected);
    EXPECT_EQ(by_list(where, text, on_device), expected);
  }
}

void expect_left_alone(const std::string& text, const std::vector<std::string>& words = few_words) {
  expect_repaired(text, text, words);
}

TEST(Repair, ReplacesTheOneWrongLetter) {
  expect_repaired("the hause of", "the house of");
}

TEST(Repair, LeavesListedWordsAlone) {
  expect_left_alone("house, cat; ZEBRA. It's a Cot");
}

TEST(Repair, LeavesWordsWithTwoCandidatesAlone) {
  expect_left_alone("a cbt is");
}

TEST(Repair, LeavesWordsWithTwoWrongLettersAlone) {
  expect_left_alone("haume");
}

TEST(Repair, DoesNotChangeLengths) {
  expect_left_alone("houses hose zebr");
}

TEST(Repair, WorksAtTheVeryStartAndTheVeryEnd) {
  expect_repaired("hause", "house");
  expect_repaired("zebrb and hquse", "zebra and house");
}

TEST(Repair, KeepsTheCaseOfTheLetter) {
  expect_repaired("HAUSE Hause hAuse Xouse", "HOUSE House hOuse House");
}

TEST(Repair, TakesApostrophesBetweenLettersAsPartOfTheWord) {
  expect_repaired("'hause' don'q it'z o'click", "'house' don't it's o'clock");
}

TEST(Repair, NeitherChangesApostrophesNorPutsOneIn) {
  expect_left_alone("donxt its' don''q ''");
}

TEST(Repair, LeavesWhatIsNoEnglishWordAlone) {
  expect_left_alone("hause1 1hause hau_se h4use hause's1 _hause");
}

TEST(Repair, LeavesWordsBesideOtherLettersOfUtf8Alone) {
  expect_left_alone("\xC3\xA9hause hause\xC3\xA9 hau\xC3\xA9se hause\xE2\x80\x99s");
}

TEST(Repair, TakesAnythingElseAsABorder) {
  expect_repaired("(hause)/hause-hause\nhause\thause\"", "(house)/house-house\nhouse\thouse\"");
}

TEST(Repair, RepairsWordsOfTheGreatestLengthAndLeavesLongerOnesAlone) {
  const std::string longest(longest_word, 'a');
  std::string wrong = longest;
  wrong.back() = 'b';
  expect_repaired(wrong, longest, {longest});
  wrong.front() = 'b';
  wrong.back() = 'a';
  expect_repaired(wrong, longest, {longest});
  expect_left_alone(wrong + "a", {longest});
}

TEST(Repair, ReadsWordsAcrossTheBordersOfTiles) {
  for (std::size_t before = detail::tile_bytes - 6; before <= detail::tile_bytes + 1; ++before) {
    SCOPED_TRACE(before);
    const std::string start(before - 1, '.');
    expect_repaired(start + " hause don'q.", start + " house don't.");
    expect_left_alone(start + "1hause");
    expect_left_alone(start + "e'\xC3\xA9");
  }
}

TEST(Repair, TakesAnyLength) {
  expect_left_alone("");
  for (std::size_t length = 1; length <= 40; ++length) {
    const std::string end = length < 6 ? "" : " hause";
    const std::string expected = length < 6 ? "" : " house";
    const std::string start(length - end.size(), ',');
    expect_repaired(start + end, start + expected);
  }
}

TEST(Repair, TakesAListOfOneWordAndRepairsEveryWordOfATextByIt) {
  std::string text;
  std::string expected;
  for (int i = 0; i < 5000; ++i) {
    text += "b ";
    expected += "a ";
  }
  expect_repaired(text, expected, {"a"});
}

TEST(Repair, RefusesAStartThatSixteenByteLoadsCannotHave) {
  const auto where = device::cpu();
  const stream work(where);
  const dictionary words(where, few_words);
  const mapped_buffer<char> text(where, 32);
  pinhole::test::expect_error(fault::invalid_argument, {"16 bytes"}, [&] {
    repair(work, text.device().subview(1, 8), words.on_device(),
           {.in_place = text.device(), .list = {}});
  });
}

// ---- a second reference ------------------------------------------------------------------------

/// Repairs a text of small letters and single spaces by comparing each word with the whole list.
std::string repaired_by_all_pairs(std::string text, const std::vector<std::string>& words) {
  std::size_t first = 0;
  while (first < text.size()) {
    const std::size_t end = std::min(text.find(' ', first), text.size());
    const std::string word = text.substr(first, end - first);
    std::vector<std::string> near;
    for (const auto& listed : words) {
      if (listed.size() != word.size()) {
        continue;
      }
      const auto differing = std::inner_product(word.begin(), word.end(), listed.begin(), 0,
                                                std::plus<>(), std::not_equal_to<>());
      if (differing == 0) {
        near = {};
        break;
      }
      if (differing == 1) {
        near.push_back(listed);
      }
    }
    if (near.size() == 1) {
      text.replace(first, word.size(), near[0]);
    }
    first = end + 1;
  }
  return text;
}

std::string random_word(std::mt19937& random) {
  std::string word(1 + random() % 6, ' ');
  std::ranges::generate(word, [&] { return static_cast<char>('a' + random() % 5); });
  return word;
}

TEST(Repair, AgreesWithAllPairsOfWords) {
  std::mt19937 random(7);
  for (int round = 0; round < 5; ++round) {
    std::vector<std::string> words;
    std::ranges::generate_n(std::back_inserter(words), 300, [&] { return random_word(random); });
    std::ranges::sort(words);
    words.erase(std::ranges::unique(words).begin(), words.end());
    std::string text = random_word(random);
    while (text.size() < 10'000) {
      text += " " + random_word(random);
    }
    const std::string expected = repaired_by_all_pairs(text, words);
    EXPECT_NE(expected, text);
    expect_repaired(text, expected, words);
  }
}

}  // namespace
}  // namespace pinhole::scenarios
