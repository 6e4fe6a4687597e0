// Pages that are made by several threads.
#include "memory/page_touch.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "pinhole/core/units.hpp"
#include "platform/platform.hpp"
#include "tests/support/os.hpp"

namespace pinhole::detail {
namespace {

class PageTouch : public testing::Test {
 protected:
  device where = platform::make_device(platform::make_cpu({}), "cpu", "cpu");
};

TEST_F(PageTouch, BringsEveryPageIntoMemory) {
  const test::pages memory(4096);
  const auto before = test::resident_bytes();
  EXPECT_TRUE(page_touch(where, memory.data(), memory.bytes()).join_in({}));
  EXPECT_GE(test::resident_bytes(), before + memory.bytes());
}

TEST_F(PageTouch, WritesOneByteOfEachPageAndNoneBehindTheEnd) {
  constexpr std::size_t page = 4096;
  std::vector<std::byte> memory(9_MiB, std::byte{7});
  const std::size_t bytes = 8_MiB + page + 1;
  EXPECT_TRUE(page_touch(where, memory.data(), bytes).join_in({}));
  for (std::size_t i = 0; i < memory.size(); ++i) {
    ASSERT_EQ(memory[i] == std::byte{0}, i % page == 0 && i < bytes) << i;
  }
}

TEST_F(PageTouch, TellsHowFarItIsAndEndsWhenToldTo) {
  where.tuning().pin_threads = 1;
  std::vector<std::byte> memory(40_MiB, std::byte{7});
  std::vector<double> heard;
  EXPECT_FALSE(page_touch(where, memory.data(), memory.size()).join_in([&](double done) {
    heard.push_back(done);
    return heard.size() < 2;
  }));
  EXPECT_EQ(heard, (std::vector<double>{0.2, 0.4}));
  EXPECT_EQ(memory[16_MiB], std::byte{7}) << "the rest was left out";
}

TEST_F(PageTouch, OfNothingIsDoneAtOnce) {
  EXPECT_TRUE(page_touch(where, nullptr, 0).join_in({}));
}

}  // namespace
}  // namespace pinhole::detail
