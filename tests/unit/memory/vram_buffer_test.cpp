// VRAM behind a write-combining mapping, played by ordinary memory: which road each access takes.
#include "pinhole/memory/vram_buffer.hpp"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <numeric>
#include <vector>

#include "tests/support/expect_error.hpp"
#include "tests/support/faulty_backend.hpp"
#include "tests/support/os.hpp"

namespace pinhole {
namespace {

using test::primitive;

/// The CPU device, which says of its VRAM what a GPU behind a link would.
class linked_backend final : public test::faulty_backend {
 public:
  linked_backend() : faulty_backend(platform::make_cpu({})) {}
  platform::status allocate_vram(std::size_t bytes, platform::vram_block& out) override {
    const auto result = faulty_backend::allocate_vram(bytes, out);
    out.write_combining = true;
    return result;
  }
};

class VramBufferOverALink : public testing::Test {
 protected:
  std::shared_ptr<linked_backend> driver = std::make_shared<linked_backend>();
  device where = platform::make_device(driver, "linked", "a CPU device with a link");
};

std::vector<unsigned char> numbered(std::size_t count) {
  std::vector<unsigned char> bytes(count);
  std::iota(bytes.begin(), bytes.end(), static_cast<unsigned char>(1));
  return bytes;
}

TEST_F(VramBufferOverALink, WritesAndReadsEveryRangeExactly) {
  vram_buffer<unsigned char> buffer(where, 20'000);
  std::vector<unsigned char> expected(buffer.size());
  buffer.write(0, expected);
  const auto source = numbered(9000);
  for (const std::size_t first : {0UL, 1UL, 63UL, 64UL, 1000UL, 11'000UL}) {
    for (const std::size_t count : {0UL, 1UL, 7UL, 64UL, 100UL, 9000UL}) {
      const auto part = std::span(source).first(count);
      buffer.write(first, part);
      std::ranges::copy(part, expected.begin() + static_cast<std::ptrdiff_t>(first));
      std::vector<unsigned char> got(count);
      buffer.read(first, got);
      ASSERT_TRUE(std::ranges::equal(got, part)) << count << " from " << first;
      ASSERT_TRUE(std::ranges::equal(buffer.host(), expected)) << count << " at " << first;
    }
  }
}

TEST_F(VramBufferOverALink, ReadsByTheCopyEngineFromTheSizeThatTheTuningSays) {
  vram_buffer<unsigned char> buffer(where, 10'000);
  buffer.write(0, numbered(10'000));
  where.tuning().vram_read_by_engine_from = 5000;
  std::vector<unsigned char> got(10'000);
  const auto copies = [&](std::size_t count) {
    const auto before = driver->calls(primitive::copy_now);
    buffer.read(1, std::span(got).first(count));
    return driver->calls(primitive::copy_now) - before;
  };
  EXPECT_EQ(copies(4999), 0U);
  EXPECT_EQ(copies(5000), 1U);
  EXPECT_EQ(got[4999], static_cast<unsigned char>(5001));
  EXPECT_EQ(copies(9999), 1U);
}

TEST_F(VramBufferOverALink, ReportsACopyEngineThatFails) {
  vram_buffer<unsigned char> buffer(where, 10'000);
  where.tuning().vram_read_by_engine_from = buffer.size();
  driver->fail_every(primitive::copy_now, platform::outcome::failed);
  std::vector<unsigned char> got(10'000);
  test::expect_error(fault::call_failed, {"copy_now", "linked"}, [&] { buffer.read(0, got); });
  EXPECT_FALSE(driver->last_error_is_set());
}

TEST_F(VramBufferOverALink, SplitsLargeWritesOverThreadsWithTheSameResult) {
  const auto source = numbered((3U << 20U) + 17);
  for (const unsigned threads : {1U, 2U, 4U}) {
    vram_buffer<unsigned char> buffer(where, source.size() + 100, {.write_threads = threads});
    buffer.write(13, source);
    ASSERT_TRUE(std::ranges::equal(buffer.host().subspan(13, source.size()), source))
        << threads << " threads";
  }
}

TEST_F(VramBufferOverALink, RefusesNumbersOfThreadsThatMakeNoSense) {
  for (const unsigned threads : {0U, 5U, 1'000'000U}) {
    test::expect_error(fault::invalid_argument,
                       {"write_threads is " + std::to_string(threads), "1 to 4"},
                       [&] { const vram_buffer<int> none(where, 10, {.write_threads = threads}); });
  }
}

TEST_F(VramBufferOverALink, KeepsASpareBlockUntilTheDeviceCollects) {
  {
    const vram_buffer<int> first(where, 100);
  }
  EXPECT_EQ(driver->live().vram_blocks, 1U);
  {
    const vram_buffer<int> second(where, 100);
  }
  EXPECT_EQ(driver->calls(primitive::allocate_vram), 1U) << "the spare block was not used";
  EXPECT_EQ(where.collect(), 0U);
  EXPECT_EQ(driver->live().vram_blocks, 0U);
}

TEST_F(VramBufferOverALink, ReportsABlockThatAResetTookAwayAndUsesItNoMore) {
  const test::cleanup_log complaints;
  {
    const vram_buffer<int> gone(where, 100);
    driver->fail_every(primitive::free_vram, platform::outcome::invalid_value);
  }
  where.collect();
  driver->heal();
  ASSERT_EQ(complaints.errors().size(), 1U);
  EXPECT_NE(std::string(complaints.errors()[0].what()).find("free vram"), std::string::npos);
  const vram_buffer<int> next(where, 100);
  EXPECT_EQ(driver->calls(primitive::allocate_vram), 1U) << "of the block that is gone";
}

TEST_F(VramBufferOverALink, HonoursTheBlockSizeOfTheTuning) {
  where.tuning().vram_block_bytes = 1_MiB;
  const vram_buffer<unsigned char> first(where, 400'000);
  const vram_buffer<unsigned char> second(where, 400'000);
  EXPECT_EQ(driver->live().vram_blocks, 1U);
  const vram_buffer<unsigned char> third(where, 400'000);
  EXPECT_EQ(driver->live().vram_blocks, 2U);
}

TEST_F(VramBufferOverALink, MakesNoDriverCallToHandOver) {
  const stream work(where);
  vram_buffer<int> buffer(where, 100);
  driver->heal();
  buffer.to_device(work);
  EXPECT_EQ(driver->calls(), 0U);
}

TEST(VramBufferOnTheCpuDevice, RefusesSizesThatNoMachineHas) {
  const auto where = device::cpu();
  test::expect_error(fault::out_of_memory, {"of vram on cpu"},
                     [&] { const vram_buffer<char> none(where, std::size_t{1} << 60U); });
  test::expect_error(fault::invalid_argument, {"make a vram buffer"},
                     [&] { const vram_buffer<int> none(where, SIZE_MAX / 2); });
}

}  // namespace
}  // namespace pinhole
