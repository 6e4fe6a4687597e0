#include "tools/support/style.hpp"

#include <gtest/gtest.h>

namespace pinhole::tool {
namespace {

TEST(Wrapped, BreaksAtBlanksAndIndentsTheRest) {
  const std::string word(40, 'x');
  EXPECT_EQ(wrapped(word + " " + word + " " + word, 10),
            word + " " + word + "\n" + std::string(10, ' ') + word);
}

TEST(Wrapped, LeavesAWordAloneThatIsTooLong) {
  const std::string word(150, 'x');
  EXPECT_EQ(wrapped(word, 10), word);
  EXPECT_EQ(wrapped("", 10), "");
}

TEST(ColumnsOf, CountsCodePointsNotBytes) {
  EXPECT_EQ(columns_of("abc"), 3U);
  EXPECT_EQ(columns_of("\xc3\xa9t\xc3\xa9"), 3U);
}

TEST(Styled, AddsNothingWithoutColours) {
  EXPECT_EQ(styled("x", accent::bold, false), "x");
  EXPECT_EQ(styled("x", accent::plain, true), "x");
  EXPECT_EQ(styled("x", accent::dim, true), "\x1b[2mx\x1b[0m");
}

}  // namespace
}  // namespace pinhole::tool
