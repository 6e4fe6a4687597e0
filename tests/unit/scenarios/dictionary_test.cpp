// Which lines of a list are words. That words are found again is tested by the repair.
#include "scenarios/dictionary.hpp"

#include "tests/unit/scenarios/devices.hpp"

namespace pinhole::scenarios {
namespace {

using list = std::vector<std::string>;

TEST(WordsOf, FoldsSortsAndTakesEachWordOnce) {
  EXPECT_EQ(words_of("zebra\nPolish\npolish\nCat\n"), (list{"cat", "polish", "zebra"}));
}

TEST(WordsOf, TakesLinesOfWindowsBlanksAndALastLineWithoutEnd) {
  EXPECT_EQ(words_of("\xEF\xBB\xBF"
                     "one\r\n two \n\n\tthree"),
            (list{"one", "three", "two"}));
}

TEST(WordsOf, TakesApostrophesInsideWordsAlone) {
  EXPECT_EQ(words_of("don't\no'clock's\n'tis\ndogs'\nro''ck\n'\n"), (list{"don't", "o'clock's"}));
}

TEST(WordsOf, LeavesOutWhatIsNoAsciiWordOrTooLong) {
  const std::string longest(longest_word, 'x');
  EXPECT_EQ(words_of("na\xC3\xAFve\nx1\ntwo words\n" + longest + "\n" + longest + "y\n"),
            (list{longest}));
}

TEST(WordsOf, AnEmptyListHasNone) {
  EXPECT_TRUE(words_of("").empty());
  EXPECT_TRUE(words_of("\n\n").empty());
}

}  // namespace
}  // namespace pinhole::scenarios
