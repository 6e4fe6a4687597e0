// Bytes and durations: what is read, what is printed, and what is refused.
#include "pinhole/core/units.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <clocale>
#include <limits>
#include <locale>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/expect_error.hpp"

namespace pinhole {
namespace {

using namespace std::chrono_literals;
using test::expect_error;
constexpr auto most = std::numeric_limits<std::uint64_t>::max();

TEST(ByteLiterals, ArePowersOf1024) {
  EXPECT_EQ(3_KiB, 3072U);
  EXPECT_EQ(1_MiB, 1048576U);
  EXPECT_EQ(2_GiB, 2147483648U);
}

TEST(ParseBytes, ReadsEverySpellingOfASuffix) {
  for (const char* const text : {"2048", "2048B", "2048 b", "2K", "2k", "2 K", "2KB", "2kB", "2 kb",
                                 "2Ki", "2KiB", "2 kib", "2.0K"}) {
    EXPECT_EQ(parse_bytes(text), 2048U) << text;
  }
  EXPECT_EQ(parse_bytes("1M"), 1_MiB);
  EXPECT_EQ(parse_bytes("1 GiB"), 1_GiB);
  EXPECT_EQ(parse_bytes("1tb"), 1024_GiB);
  EXPECT_EQ(parse_bytes("0"), 0U);
}

TEST(ParseBytes, ReadsFractions) {
  EXPECT_EQ(parse_bytes("1.5K"), 1536U);
  EXPECT_EQ(parse_bytes("0.25 GiB"), 256_MiB);
}

TEST(ParseBytes, KeepsAll64Bits) {
  EXPECT_EQ(parse_bytes("18446744073709551615"), most);
  EXPECT_EQ(parse_bytes("9007199254740993"), 9007199254740993U);  // 2^53 + 1: no double holds it
  EXPECT_EQ(parse_bytes("16777215T"), 16777215_GiB * 1024U);
}

TEST(ParseBytes, RefusesWhatDoesNotFitIn64Bits) {
  for (const char* const text : {"18446744073709551616", "16777216T", "16777216.0T",
                                 "99999999999999999999999999", "17179869184 GiB"}) {
    expect_error(fault::invalid_argument, {text, "64 bits"}, [&] { (void)parse_bytes(text); });
  }
}

TEST(ParseBytes, RefusesAnythingElseAndSaysWhatIsAllowed) {
  for (const char* const text : {"",      " ",    "K",   "-1",     "-0",  "+1",  " 1",      "1 ",
                                 "1  K",  "1,5K", "1K ", "1KK",    "1XB", "1P",  "0x10",    "1e3",
                                 "1.2.3", "inf",  "nan", "1 KiBs", "one", "1Bi", "\xc3\xa9"}) {
    expect_error(fault::invalid_argument, {"'" + std::string(text) + "'", "64K", "1.5MiB"},
                 [&] { (void)parse_bytes(text); });
  }
}

TEST(ParseBytes, ReadsBackWhatFormatBytesWrites) {
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{17}, std::uint64_t{1536},
                                    std::uint64_t{256_MiB}, std::uint64_t{3_GiB}}) {
    EXPECT_EQ(parse_bytes(format_bytes(bytes)), bytes);
  }
}

TEST(FormatBytes, UsesFourSignificantDigitsAtMost) {
  const std::vector<std::pair<std::uint64_t, std::string>> cases = {
      {0, "0 B"},        {4, "4 B"},           {1023, "1023 B"},          {1024, "1 KiB"},
      {1536, "1.5 KiB"}, {256_MiB, "256 MiB"}, {25125558681, "23.4 GiB"}, {1234567, "1.177 MiB"},
      {most, "16 EiB"},
  };
  for (const auto& [bytes, text] : cases) {
    EXPECT_EQ(format_bytes(bytes), text);
  }
}

TEST(FormatBytes, MovesToTheNextUnitWhenItRoundsUp) {
  EXPECT_EQ(format_bytes(1_MiB - 1), "1 MiB");
  EXPECT_EQ(format_bytes(1_GiB - 1), "1 GiB");
}

TEST(FormatDuration, UsesThreeSignificantDigitsAtMost) {
  EXPECT_EQ(format_duration(0ns), "0 ns");
  EXPECT_EQ(format_duration(999ns), "999 ns");
  EXPECT_EQ(format_duration(12345ns), "12.3 us");
  EXPECT_EQ(format_duration(4560us), "4.56 ms");
  EXPECT_EQ(format_duration(2s), "2 s");
  EXPECT_EQ(format_duration(100s), "100 s");
  EXPECT_EQ(format_duration(-1500ns), "-1.5 us");
}

TEST(FormatDuration, MovesToTheNextUnitWhenItRoundsUp) {
  EXPECT_EQ(format_duration(999999ns), "1 ms");
  EXPECT_EQ(format_duration(999600us), "1 s");
}

/// What the C++ library prints numbers with where a comma is the decimal point.
struct comma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

TEST(Units, DoNotDependOnTheLocale) {
  const std::string c_before = std::setlocale(LC_ALL, nullptr);
  const std::locale before = std::locale::global(std::locale(std::locale(), new comma));
  std::setlocale(LC_ALL, "de_DE.UTF-8");  // where it is installed
  EXPECT_EQ(format_bytes(1234567), "1.177 MiB");
  EXPECT_EQ(format_duration(12345ns), "12.3 us");
  EXPECT_EQ(parse_bytes("1.5K"), 1536U);
  expect_error(fault::invalid_argument, {"'1,5K'"}, [] { (void)parse_bytes("1,5K"); });
  EXPECT_NE(std::string(format_bytes(1000)).find("1000"), std::string::npos);
  std::locale::global(before);
  std::setlocale(LC_ALL, c_before.c_str());
}

TEST(CheckedBytes, MultipliesAndRefusesWhatOverflows) {
  constexpr std::size_t largest = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(checked_bytes(3, 4, "make"), 12U);
  EXPECT_EQ(checked_bytes(0, 4, "make"), 0U);
  EXPECT_EQ(checked_bytes(largest, 1, "make"), largest);
  EXPECT_EQ(checked_bytes(largest / 4, 4, "make"), largest / 4 * 4);
  expect_error(fault::invalid_argument, {"cannot make a table", std::to_string(largest), "4 bytes"},
               [] { (void)checked_bytes(largest, 4, "make a table"); });
  EXPECT_THROW((void)checked_bytes(largest / 4 + 1, 4, "make"), error);
}

TEST(Timeout, ConvertsFromAnyDuration) {
  EXPECT_EQ(timeout(1s).limit(), 1s);
  EXPECT_EQ(timeout(0ns).limit(), 0ns);
  EXPECT_EQ(timeout(std::chrono::duration<double>(0.5)).limit(), 500ms);
  EXPECT_EQ(timeout(std::chrono::hours(24)).limit(), 24h);
}

TEST(Timeout, RefusesNegativeAndOverflowingDurations) {
  expect_error(fault::invalid_argument, {"negative"}, [] { (void)timeout(-1ns); });
  expect_error(fault::invalid_argument, {"negative"},
               [] { (void)timeout(std::chrono::seconds::min()); });
  expect_error(fault::invalid_argument, {"not a number"}, [] {
    (void)timeout(std::chrono::duration<double>(std::numeric_limits<double>::quiet_NaN()));
  });
  expect_error(fault::invalid_argument, {"292 years"},
               [] { (void)timeout(std::chrono::hours::max()); });
  expect_error(fault::invalid_argument, {"292 years"}, [] {
    (void)timeout(std::chrono::duration<double>(std::numeric_limits<double>::infinity()));
  });
}

TEST(Timeout, CountsFromNowWithoutOverflow) {
  const auto now = std::chrono::steady_clock::now();
  EXPECT_GE(timeout(1h).from_now(), now + 1h);
  const auto at_once = timeout(0s).from_now();
  EXPECT_LE(at_once, std::chrono::steady_clock::now());
  const timeout longest(std::chrono::nanoseconds(9'200'000'000'000'000'000));
  EXPECT_GT(longest.from_now(), now);  // an overflow would lie in the past
}

}  // namespace
}  // namespace pinhole
