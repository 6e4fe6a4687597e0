#include "tools/support/numbers.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tools/support/failure.hpp"

namespace pinhole::tool {
namespace {

TEST(ShortNumber, KeepsThreeSignificantDigits) {
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(0.00042345), "0.000423");
  EXPECT_EQ(short_number(0.0423), "0.0423");
  EXPECT_EQ(short_number(1.8749), "1.87");
  EXPECT_EQ(short_number(42.34), "42.3");
  EXPECT_EQ(short_number(2510.4), "2510");
  EXPECT_EQ(short_number(0.9996), "1.00");
  EXPECT_EQ(short_number(0.9994), "0.999");
  EXPECT_EQ(short_number(9.996), "10.0");
  EXPECT_EQ(short_number(1e-7), "1.0e-07");
  EXPECT_EQ(short_number(-1.5), "-1.50");
}

TEST(ShortNumber, PrintsADashForWhatIsNone) {
  EXPECT_EQ(short_number(std::numeric_limits<double>::infinity()), "-");
  EXPECT_EQ(short_number(std::numeric_limits<double>::quiet_NaN()), "-");
}

TEST(ParseWhole, AcceptsTheBoundsAndNothingElse) {
  EXPECT_EQ(parse_whole("--n", "1", 1, 10), 1U);
  EXPECT_EQ(parse_whole("--n", "10", 1, 10), 10U);
  for (const char* text : {"0", "11", "", "1x", " 1", "+1", "-1", "1.0", "99999999999999999999"}) {
    EXPECT_THROW((void)parse_whole("--n", text, 1, 10), failure) << text;
  }
}

TEST(ParsePercent, ReadsAShareAndRefusesWhatIsNone) {
  EXPECT_DOUBLE_EQ(parse_percent("--share", "0.1"), 0.1);
  EXPECT_DOUBLE_EQ(parse_percent("--share", "100%"), 100);
  for (const char* text : {"", "%", "-1", "100.1", "0,1", "nan", "inf", "1e2", "1 %", "x"}) {
    EXPECT_THROW((void)parse_percent("--share", text), failure) << text;
  }
}

TEST(ParseSize, NamesTheArgumentThatItRefuses) {
  EXPECT_EQ(parse_size("--size", "1.5KiB"), 1536U);
  try {
    (void)parse_size("--size", "many");
    FAIL();
  } catch (const failure& refused) {
    EXPECT_EQ(refused.code(), bad_input);
    EXPECT_EQ(std::string(refused.what()).find("--size: "), 0U) << refused.what();
  }
}

}  // namespace
}  // namespace pinhole::tool
