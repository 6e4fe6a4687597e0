// Files in place: whole and in part, empty, shrinking, special, and refused by the driver.
#include "pinhole/memory/mapped_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <vector>

#include "pinhole/memory/pin_budget.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/faulty_backend.hpp"
#include "tests/support/kernels.hpp"
#include "tests/support/os.hpp"

namespace pinhole {
namespace {

using namespace std::chrono_literals;
using test::expect_error;
using test::primitive;

class MappedFile : public testing::Test {
 protected:
  MappedFile() {
    std::vector<int> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0);
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(numbers.data()), count * sizeof(int));
  }
  ~MappedFile() override {
    EXPECT_EQ(where.collect(), 0U);
    EXPECT_EQ(driver->live(), test::live_resources{});
    EXPECT_EQ(pin_budget::process().in_use(), pinned_before);
  }

  static constexpr std::size_t count = 5000;
  test::temporary_folder folder;
  std::string path = folder.path() / "numbers";
  std::shared_ptr<test::faulty_backend> driver =
      std::make_shared<test::faulty_backend>(platform::make_cpu({}));
  device where = platform::make_device(driver, "cpu", "double");
  std::uint64_t pinned_before = pin_budget::process().in_use();
};

TEST_F(MappedFile, IsTheWholeFileInPlace) {
  mapped_file<int> file(where, path);
  EXPECT_EQ(file.size(), count);
  EXPECT_EQ(file.placed(), placement::registered);
  EXPECT_EQ(driver->calls(primitive::register_read_only), 1U);
  EXPECT_GE(pin_budget::process().in_use(), pinned_before + count * sizeof(int));
  const stream work(where);
  file.to_device(work);
  file.to_host(work, 5, 10);
  work.wait(60s);
  EXPECT_EQ(file.host()[4999], 4999);
  EXPECT_EQ(file.device()[17], 17);
  std::array<int, 3> out{};
  file.read(100, out);
  EXPECT_EQ(out, (std::array<int, 3>{100, 101, 102}));
  expect_error(fault::invalid_argument, {"past its end"}, [&] { file.read(4998, out); });
}

TEST_F(MappedFile, MayBeARangeAtAnyOffset) {
  for (const std::size_t first : {0UL, 4UL, 4096UL, 4100UL, 19'996UL}) {
    const mapped_file<int> file(where, path, {.first_byte = first, .bytes = 4});
    ASSERT_EQ(file.size(), 1U);
    EXPECT_EQ(file.host()[0], static_cast<int>(first / 4));
  }
  const mapped_file<char> odd(where, path, {.first_byte = 4097, .bytes = 5000});
  EXPECT_EQ(odd.size(), 5000U);
  EXPECT_EQ(odd.host()[3], static_cast<char>(1025));
  const mapped_file<std::array<char, 3>> triples(where, path, {.first_byte = 1});
  EXPECT_EQ(triples.size(), 6666U) << "a byte at the end makes no triple";
}

TEST_F(MappedFile, SeesWhatIsWrittenToTheFile) {
  const mapped_file<int> file(where, path);
  std::fstream(path, std::ios::in | std::ios::out | std::ios::binary).write("\1\0\0\0", 4);
  EXPECT_EQ(file.host()[0], 1) << "the page cache's own pages";
}

TEST_F(MappedFile, MayBeEmpty) {
  std::ofstream(folder.path() / "empty");
  mapped_file<int> nothing(where, folder.path() / "empty");
  const mapped_file<int> also_nothing(where, path, {.first_byte = count * sizeof(int)});
  const private_file<int> nor_this(where, path, {.bytes = 0});
  EXPECT_TRUE(nothing.empty());
  EXPECT_TRUE(also_nothing.host().empty());
  EXPECT_TRUE(nor_this.empty());
  const stream work(where);
  nothing.to_device(work);
  nothing.to_host(work);
  work.wait(60s);
}

TEST_F(MappedFile, ReadsTheHolesOfASparseFileAsZeros) {
  const std::string sparse = folder.path() / "sparse";
  std::ofstream(sparse).put('x');
  std::filesystem::resize_file(sparse, 1'000'000);
  const mapped_file<char> file(where, sparse);
  EXPECT_EQ(file.host()[0], 'x');
  EXPECT_EQ(file.host()[999'999], '\0');
}

TEST_F(MappedFile, ThatBecameShorterIsAnErrorToReadAndNoSignal) {
  const mapped_file<int> file(where, path);
  std::filesystem::resize_file(path, 100);
  std::array<int, 2> out{};
  file.read(10, out);
  EXPECT_EQ(out[1], 11);
  expect_error(fault::io, {path, "shorter"}, [&] { file.read(24, out); });
  expect_error(fault::io, {path, "shorter"}, [&] { file.read(4000, out); });
}

TEST_F(MappedFile, OutlivesItsName) {
  const mapped_file<int> file(where, path);
  std::filesystem::remove(path);
  EXPECT_EQ(file.host()[4321], 4321);
}

TEST_F(MappedFile, RefusesWhatIsNoFileWithItsReason) {
  const auto refused = [&](fault kind, const std::string& name, std::string_view why) {
    expect_error(kind, {name, why}, [&] { (void)mapped_file<int>(where, name); });
    expect_error(kind, {name, why}, [&] { (void)private_file<int>(where, name); });
  };
  refused(fault::io, folder.path() / "absent", "ENOENT");
  refused(fault::io, path + "/below", "ENOTDIR");
  refused(fault::io, "", "ENOENT");
  refused(fault::invalid_argument, folder.path(), "folder");
  refused(fault::invalid_argument, "/dev/null", "no regular file");
}

TEST_F(MappedFile, RefusesRangesPastTheEndAndOffsetsBetweenElements) {
  constexpr std::size_t bytes = count * sizeof(int);
  for (const file_options& options :
       {file_options{.first_byte = bytes + 4}, file_options{.first_byte = 4, .bytes = bytes},
        file_options{.bytes = bytes + 1}, file_options{.first_byte = ~std::uint64_t{3}}}) {
    expect_error(fault::invalid_argument, {path, "past its end"},
                 [&] { (void)mapped_file<int>(where, path, options); });
  }
  expect_error(fault::invalid_argument, {path, "byte 2", "aligned to 4"},
               [&] { (void)mapped_file<int>(where, path, {.first_byte = 2}); });
}

TEST_F(MappedFile, CopiesOnlyWhenAskedToByName) {
  driver->fail_every(primitive::register_read_only, platform::outcome::invalid_value);
  expect_error(fault::not_supported, {path, "file system", "fallback::copy"},
               [&] { (void)mapped_file<int>(where, path); });
  EXPECT_EQ(pin_budget::process().in_use(), pinned_before);
  const mapped_file<int> copied(where, path, {.otherwise = fallback::copy});
  EXPECT_EQ(copied.placed(), placement::mapped) << "and says so";
  EXPECT_EQ(copied.host()[4999], 4999);
  driver->heal();
}

TEST_F(MappedFile, ReportsEveryOtherFailureEvenWhenACopyIsAllowed) {
  driver->fail_every(primitive::register_read_only, platform::outcome::out_of_memory);
  expect_error(fault::out_of_memory, {path, "register_read_only"},
               [&] { (void)mapped_file<int>(where, path, {.otherwise = fallback::copy}); });
  driver->heal();
  pin_budget part("files", 1000);
  expect_error(fault::over_budget, {"'files'", path}, [&] {
    (void)mapped_file<int>(where, path, {.otherwise = fallback::copy, .budget = &part});
  });
}

TEST_F(MappedFile, InItsPrivateFormMayBeWrittenAndLeavesTheFileAlone) {
  {
    private_file<int> file(where, path, {.first_byte = 4000});
    const stream work(where);
    file.to_device(work);
    test::add(work, file.device(), 5);
    file.to_host(work);
    work.wait(60s);
    EXPECT_EQ(file.host()[0], 1005);
  }
  const mapped_file<int> untouched(where, path);
  EXPECT_EQ(untouched.host()[1000], 1000);
}

TEST_F(MappedFile, InItsSharedFormIsWrittenByKernelsForEverybody) {
  {
    shared_file<int> file(where, path, {.first_byte = 4000});
    EXPECT_EQ(file.placed(), placement::registered);
    EXPECT_EQ(driver->calls(primitive::register_host), 1U);
    const stream work(where);
    file.to_device(work);
    test::add(work, file.device(), 5);
    file.to_host(work);
    work.wait(60s);
    file.host()[1] = -1;
    std::array<int, 2> out{};
    file.read(0, out);
    EXPECT_EQ(out, (std::array<int, 2>{1005, -1}));
  }
  const mapped_file<int> seen(where, path);
  EXPECT_EQ(seen.host()[999], 999);
  EXPECT_EQ(seen.host()[1000], 1005);
}

TEST_F(MappedFile, MayBeAFileThatHasNoName) {
  const test::memory_file unnamed(4096);
  shared_file<int> file(where, unnamed.path());
  shared_file<int> again(where, unnamed.path());
  file.host()[1023] = 7;
  EXPECT_EQ(again.size(), 1024U);
  EXPECT_EQ(again.host()[1023], 7) << "another process would see it too";
}

TEST_F(MappedFile, InItsSharedFormIsNeverACopy) {
  expect_error(fault::invalid_argument, {path, "not shared"},
               [&] { (void)shared_file<int>(where, path, {.otherwise = fallback::copy}); });
  driver->fail_every(primitive::register_host, platform::outcome::invalid_value);
  expect_error(fault::not_supported, {path, "file system", "tmpfs"},
               [&] { (void)shared_file<int>(where, path); });
  driver->heal();
}

TEST_F(MappedFile, ThatWasMovedFromRefusesEverything) {
  mapped_file<int> file(where, path);
  const mapped_file<int> now = std::move(file);
  expect_error(fault::moved_from, {"buffer"}, [&] { (void)file.host(); });
  EXPECT_EQ(file.size(), 0U);
  EXPECT_EQ(now.size(), count);
}

}  // namespace
}  // namespace pinhole
