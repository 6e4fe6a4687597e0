// What the operating system says about ranges of memory, and about forks.
#include "platform/linux/host_memory.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/os.hpp"

namespace pinhole::platform {
namespace {

using test::protection;

TEST(AccessOf, KnowsHeapStackAndConstants) {
  std::vector<char> heap(10'000);
  int on_stack = 0;
  static const char constant[] = "text";
  EXPECT_EQ(access_of(heap.data(), heap.size()), page_access::read_write);
  EXPECT_EQ(access_of(&on_stack, sizeof on_stack), page_access::read_write);
  EXPECT_EQ(access_of(constant, sizeof constant), page_access::read_only);
}

TEST(AccessOf, IsDecidedByTheWeakestPage) {
  test::pages memory(4);
  const std::size_t page = page_size();
  EXPECT_EQ(access_of(memory.data(), memory.bytes()), page_access::read_write);

  memory.protect(2, 1, protection::read_only);
  EXPECT_EQ(access_of(memory.data(), memory.bytes()), page_access::read_only);
  EXPECT_EQ(access_of(memory.data(), 2 * page), page_access::read_write);
  EXPECT_EQ(access_of(memory.data(), 2 * page + 1), page_access::read_only);
  EXPECT_EQ(access_of(memory.data() + 3 * page, page), page_access::read_write);

  memory.protect(1, 1, protection::none);
  EXPECT_EQ(access_of(memory.data(), memory.bytes()), page_access::none);
}

TEST(AccessOf, NoticesHolesInTheRange) {
  test::pages memory(3);
  const std::size_t page = page_size();
  memory.unmap(1, 1);
  EXPECT_EQ(access_of(memory.data(), page), page_access::read_write);
  EXPECT_EQ(access_of(memory.data(), page + 1), page_access::not_mapped);
  EXPECT_EQ(access_of(memory.data() + page, 1), page_access::not_mapped);
  EXPECT_EQ(access_of(memory.data(), memory.bytes()), page_access::not_mapped);
}

TEST(AccessOf, TakesAnEmptyRangeForItsFirstByte) {
  const test::pages memory(1);
  EXPECT_EQ(access_of(memory.data(), 0), page_access::read_write);
  EXPECT_EQ(access_of(nullptr, 0), page_access::not_mapped);
  EXPECT_EQ(access_of(nullptr, 1), page_access::not_mapped);
}

TEST(AccessOf, IsUnknownWithoutProc) {
  const test::fake_system nothing;
  int here = 0;
  EXPECT_EQ(access_of(&here, sizeof here), page_access::unknown);
}

TEST(PageSize, IsAPowerOfTwo) {
  EXPECT_GE(page_size(), 4096U);
  EXPECT_EQ(page_size() & (page_size() - 1), 0U);
}

TEST(ForkGeneration, CountsForksThatLedHere) {
  const unsigned here = fork_generation();
  const auto child = test::in_forked_child([here] {
    if (fork_generation() != here + 1) {
      throw std::runtime_error("the child counts " + std::to_string(fork_generation()));
    }
    const auto grandchild = test::in_forked_child([here] {
      if (fork_generation() != here + 2) {
        throw std::runtime_error("the grandchild counts " + std::to_string(fork_generation()));
      }
    });
    if (grandchild.exit_code != 0) {
      throw std::runtime_error(grandchild.output);
    }
  });
  EXPECT_EQ(child.exit_code, 0) << child.output;
  EXPECT_EQ(fork_generation(), here) << "the parent stays what it was";
}

}  // namespace
}  // namespace pinhole::platform
