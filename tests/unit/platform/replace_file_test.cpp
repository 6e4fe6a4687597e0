// Files that are written whole or not at all.
#include "platform/linux/replace_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/expect_error.hpp"
#include "tests/support/os.hpp"

namespace pinhole::platform {
namespace {

namespace fs = std::filesystem;
using test::expect_error;

class ReplaceFile : public testing::Test {
 protected:
  ReplaceFile() { fs::create_directory(folder); }
  ~ReplaceFile() override { fs::remove_all(folder); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder / name; }
  [[nodiscard]] static std::string text_of(const std::string& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] long files() const {
    return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
  }

  test::temporary_folder place;
  fs::path folder = place.path() / "out";
};

TEST_F(ReplaceFile, WritesANewFileAndLeavesNothingElse) {
  replace_file(path("new"), "first\n");
  EXPECT_EQ(text_of(path("new")), "first\n");
  EXPECT_EQ(files(), 1);
  replace_file(path("empty"), "");
  EXPECT_EQ(text_of(path("empty")), "");
}

TEST_F(ReplaceFile, ReplacesWhatIsThereAndKeepsItsPermissions) {
  replace_file(path("old"), "a long old text");
  fs::permissions(path("old"), fs::perms::owner_read | fs::perms::owner_write);
  replace_file(path("old"), "new");
  EXPECT_EQ(text_of(path("old")), "new");
  EXPECT_EQ(fs::status(path("old")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(files(), 1);
}

TEST_F(ReplaceFile, FollowsALinkAndKeepsIt) {
  replace_file(path("target"), "old");
  fs::create_symlink("target", path("link"));
  replace_file(path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(text_of(path("target")), "new");
}

TEST_F(ReplaceFile, WritesToADeviceDirectly) {
  EXPECT_NO_THROW(replace_file("/dev/null", "gone"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(ReplaceFile, ReportsAFullDisk) {
  if (!fs::exists("/dev/full")) {
    GTEST_SKIP() << "waived: there is no /dev/full";
  }
  expect_error(fault::io, {"write '/dev/full'", "ENOSPC"},
               [] { replace_file("/dev/full", "text"); });
}

TEST_F(ReplaceFile, RefusesFoldersAndMissingFoldersBeforeAnythingIsWritten) {
  const auto refuse = [&](const std::string& file, std::string_view status) {
    expect_error(fault::io, {"write '" + file + "'", status, "name a file in a folder"},
                 [&] { check_replaceable(file); });
    expect_error(fault::io, {"write '" + file + "'", status}, [&] { replace_file(file, "text"); });
  };
  refuse(folder, "EISDIR");
  refuse(path("no/such/folder/file"), "ENOENT");
  refuse("", "ENOENT");
  replace_file(path("file"), "text");
  refuse(path("file/below"), "ENOTDIR");
  EXPECT_EQ(text_of(path("file")), "text");
  EXPECT_EQ(files(), 1);
}

TEST_F(ReplaceFile, CheckingLeavesNothingBehind) {
  check_replaceable(path("new"));
  EXPECT_EQ(files(), 0);
  replace_file(path("old"), "text");
  check_replaceable(path("old"));
  EXPECT_EQ(text_of(path("old")), "text");
  EXPECT_EQ(files(), 1);
}

}  // namespace
}  // namespace pinhole::platform
