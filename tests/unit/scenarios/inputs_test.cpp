// Files that can't be used, each with its own line, and what UTF-8 is.
#include "scenarios/inputs.hpp"

#include <fstream>

#include "tests/support/expect_error.hpp"
#include "tests/unit/scenarios/temporary_folder.hpp"

namespace pinhole::scenarios {
namespace {

const input text_option = {.option = "--text",
                           .what = "a file of UTF-8 text",
                           .remedy = "a package has it",
                           .bundled_name = "no such default",
                           .usual = {"/nowhere/usual"}};

struct Inputs : ::testing::Test {
  void expect_refused(fault kind, const std::string& file, const std::string& reason) {
    pinhole::test::expect_error(kind, {"--text", file, reason, "allowed is a file of UTF-8 text"},
                                [&] { (void)read_input(text_option, file); });
  }
  test::temporary_folder folder;
};

TEST_F(Inputs, AreReadWhole) {
  const std::string text = "na\xC3\xAFve\r\n\ttext \xE2\x82\xAC\f";
  EXPECT_EQ(read_input(text_option, folder.write("good", text)), text);
}

TEST_F(Inputs, ThatAreMissingAreRefused) {
  expect_refused(fault::io, (folder.path() / "missing").string(), "does not exist");
}

TEST_F(Inputs, InAFileInsteadOfAFolderAreRefused) {
  expect_refused(fault::io, folder.write("file", "text") + "/below", "Not a directory");
}

TEST_F(Inputs, ThatAreFoldersAreRefused) {
  expect_refused(fault::io, folder.path().string(), "is a folder");
}

TEST_F(Inputs, ThatAreDevicesAreRefused) {
  expect_refused(fault::io, "/dev/zero", "not a regular file");
}

TEST_F(Inputs, ThatAreUnreadableAreRefused) {
  const std::string file = folder.write("secret", "text");
  std::filesystem::permissions(file, std::filesystem::perms::none);
  if (std::ifstream(file)) {
    GTEST_SKIP() << "waived: runs as root, who may read every file";
  }
  expect_refused(fault::io, file, "cannot be opened");
}

TEST_F(Inputs, ThatAreEmptyAreRefused) {
  expect_refused(fault::invalid_argument, folder.write("empty", ""), "is empty");
}

TEST_F(Inputs, ThatAreBinaryAreRefused) {
  using namespace std::string_literals;
  expect_refused(fault::invalid_argument, folder.write("zero", "a\0b"s), "is binary");
  expect_refused(fault::invalid_argument,
                 folder.write("elf",
                              "\x7F"
                              "ELF"),
                 "is binary");
  expect_refused(fault::invalid_argument, folder.write("escape", "a\x1B[1m"), "is binary");
}

TEST_F(Inputs, InAnotherEncodingAreRefused) {
  expect_refused(fault::invalid_argument, folder.write("latin", "na\xEFve"), "is not UTF-8");
}

TEST_F(Inputs, WithoutADefaultSayWhereItWasLookedFor) {
  pinhole::test::expect_error(
      fault::io, {"--text", "not given", "no such default", "/nowhere/usual", "a package has it"},
      [] { (void)read_input(text_option, ""); });
}

TEST_F(Inputs, TakeTheFirstUsualPlaceThatIsThere) {
  auto option = text_option;
  option.usual.emplace_back(folder.write("usual", "found"));
  EXPECT_EQ(read_input(option, ""), "found");
}

TEST(Utf8, TakesTheFirstAndTheLastCharacterOfEveryLength) {
  for (const char* good :
       {"", "\x01", "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
        "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(is_utf8(good)) << good;
  }
}

TEST(Utf8, RefusesWhatIsNotWellFormed) {
  for (const char* bad : {"\x80", "\xC2", "\xC3(", "\xE2\x82", "\xE2(\xA1", "\xF0\x9F\x98",  // cut
                          "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF",  // overlong
                          "\xED\xA0\x80", "\xED\xBF\xBF",                              // surrogates
                          "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80", "\xFE", "\xFF"}) {
    EXPECT_FALSE(is_utf8(bad)) << bad;
  }
}

}  // namespace
}  // namespace pinhole::scenarios
