#include "tools/support/table.hpp"

#include <gtest/gtest.h>

namespace pinhole::tool {
namespace {

TEST(Table, AlignsItsColumnsAndEndsLinesWithoutBlanks) {
  table rows({{"arm", align::left}, {"us"}, {"note", align::left}});
  rows.add({"copy", "12.5", "slow"});
  rows.add({"m", "1"});
  EXPECT_EQ(rows.text(false), "  arm     us  note\n  copy  12.5  slow\n  m        1\n");
}

TEST(Table, LeavesOutColumnsThatAreEmpty) {
  table rows({{"arm", align::left}, {"vs copy"}, {"us"}});
  rows.add({"m", "", "1"});
  EXPECT_EQ(rows.text(false), "  arm  us\n  m     1\n");
}

TEST(Table, AlignsTextThatIsNotAscii) {
  table rows({{"w", align::left}, {"n"}});
  rows.add({"\xc3\xa9t\xc3\xa9", "1"});
  rows.add({"abc", "2"});
  EXPECT_EQ(rows.text(false), "  w    n\n  \xc3\xa9t\xc3\xa9  1\n  abc  2\n");
}

}  // namespace
}  // namespace pinhole::tool
