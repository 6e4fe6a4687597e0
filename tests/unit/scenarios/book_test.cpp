// What the text of `text` is made from: repetition, damage and the plain repair's findings.
#include "scenarios/book.hpp"

#include <algorithm>

#include "scenarios/inputs.hpp"
#include "tests/unit/scenarios/devices.hpp"

namespace pinhole::scenarios {
namespace {

TEST(Repeated, FillsTheSizeWithWholeWordsAndLineEnds) {
  EXPECT_EQ(repeated("one two\n", 8), "one two\n");
  EXPECT_EQ(repeated("one two\n", 16), "one two\none two\n");
  EXPECT_EQ(repeated("one two\n", 14), "one two\none\n\n\n");
  EXPECT_EQ(repeated("one two\n", 15), "one two\none two");
  EXPECT_EQ(repeated("one two\n", 7), "one two");
  EXPECT_EQ(repeated("one two\n", 6), "one\n\n\n");
}

TEST(Repeated, CutsATextWithoutWordsBetweenCharacters) {
  EXPECT_EQ(repeated("abcdef", 4), "abcd");
  EXPECT_EQ(repeated("\xC3\xA9\xC3\xA9", 3), "\xC3\xA9\n");
  EXPECT_EQ(repeated("\xE2\x82\xAC", 2), "\n\n");
}

TEST(Repeated, StaysUtf8AtEverySize) {
  for (std::size_t size = 1; size < 40; ++size) {
    const std::string text = repeated("na\xC3\xAFve \xE2\x82\xAC\xF0\x9F\x98\x80 word\n", size);
    EXPECT_EQ(text.size(), size);
    EXPECT_TRUE(is_utf8(text)) << size;
  }
}

std::size_t differences(const std::string& a, const std::string& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    count += a[i] != b[i] ? 1U : 0U;
  }
  return count;
}

TEST(Damage, ChangesOneLetterInEachOfTheWords) {
  const std::string before = "Copying programs carefully matters; shorter words stay as they are.";
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    std::string text = before;
    EXPECT_EQ(damage(text, 3, seed), 3U);
    EXPECT_EQ(differences(before, text), 3U) << text;
    EXPECT_EQ(text.substr(51), before.substr(51));
    EXPECT_TRUE(std::isupper(static_cast<unsigned char>(text[0])) != 0);
  }
}

TEST(Damage, IsDecidedByTheSeed) {
  const std::string before = repeated("several different longer words stand here\n", 4000);
  std::string one = before;
  std::string same = before;
  std::string other = before;
  (void)damage(one, 5, 1);
  (void)damage(same, 5, 1);
  (void)damage(other, 5, 2);
  EXPECT_EQ(one, same);
  EXPECT_NE(one, other);
}

TEST(Damage, NeedsLongWords) {
  std::string text = "a few short ones, and longer";
  EXPECT_EQ(damage(text, 5, 1), 1U);
  text = "none at all";
  EXPECT_EQ(damage(text, 5, 1), 0U);
  EXPECT_EQ(text, "none at all");
}

TEST(PlainRepair, CountsUnlistedWordsAndRepairs) {
  const book result = repair_plainly("House hause xyzzy haus cat", {"cat", "house"});
  EXPECT_EQ(result.repaired, "House house xyzzy haus cat");
  EXPECT_EQ(result.unlisted, 3U);
  EXPECT_EQ(result.repairs, 1U);
}

TEST(FirstDifference, NamesTheWord) {
  const book expected = repair_plainly("a cat and a house, don't", {});
  EXPECT_EQ(expected.first_difference("a cat and a house, don't"), std::nullopt);
  EXPECT_EQ(expected.first_difference("a cat and a hause, don't"),
            "word 4 (byte 13): expected 'house', got 'hause'");
  EXPECT_EQ(expected.first_difference("a cat and a house, don'T"),
            "word 5 (byte 23): expected 'don't', got 'don'T'");
}

TEST(FirstDifference, NamesTheByteBetweenWords) {
  const book expected = repair_plainly("cat, house", {});
  EXPECT_EQ(expected.first_difference("cat; house"), "byte 3: expected ',', got ';'");
}

}  // namespace
}  // namespace pinhole::scenarios
