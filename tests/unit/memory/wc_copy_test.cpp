// Every copy of this CPU against memcpy, at every alignment, with the bytes beside watched.
#include "memory/wc_copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "tests/support/os.hpp"

namespace pinhole::detail {

/// For GoogleTest.
static void PrintTo(const wc_copies& one, std::ostream* out) {
  *out << to_string(one.how);
}

namespace {

constexpr std::size_t guard = 64;
constexpr auto untouched = std::byte{0xa5};

/// Bytes whose position can be told from their value, as far as that goes.
std::vector<std::byte> numbered(std::size_t count) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) {
    bytes[i] = static_cast<std::byte>(i * 37 + (i >> 8U) * 101);
  }
  return bytes;
}

/// A line-aligned place of its own, so that offsets are what they say.
class aligned_bytes {
 public:
  explicit aligned_bytes(std::size_t count)
      : memory_(count + 64), first_(memory_.data()), count_(count) {
    void* place = first_;
    std::size_t room = memory_.size();
    first_ = static_cast<std::byte*>(std::align(64, count, place, room));
  }
  [[nodiscard]] std::byte* data() const noexcept { return first_; }
  void fill(std::byte with) { std::fill_n(first_, count_, with); }
  [[nodiscard]] std::vector<std::byte> copy() const { return {first_, first_ + count_}; }

 private:
  std::vector<std::byte> memory_;
  std::byte* first_;
  std::size_t count_;
};

class WcCopy : public testing::TestWithParam<wc_copies> {
 protected:
  using copy = void (*)(std::byte*, const std::byte*, std::size_t);

  static void expect_exact(copy how, std::size_t to, std::size_t from, std::size_t count) {
    static const auto source_bytes = numbered(8192);
    aligned_bytes source(8192 + guard);
    std::ranges::copy(source_bytes, source.data());
    aligned_bytes target(guard + to + count + guard);
    target.fill(untouched);
    how(target.data() + guard + to, source.data() + from, count);
    aligned_bytes expected(guard + to + count + guard);
    expected.fill(untouched);
    std::memcpy(expected.data() + guard + to, source.data() + from, count);
    ASSERT_EQ(target.copy(), expected.copy()) << count << " bytes from " << from << " to " << to;
  }
  void expect_exact(std::size_t to, std::size_t from, std::size_t count) const {
    ASSERT_NO_FATAL_FAILURE(expect_exact(GetParam().store, to, from, count));
    ASSERT_NO_FATAL_FAILURE(expect_exact(GetParam().load, to, from, count));
  }
};

INSTANTIATE_TEST_SUITE_P(OfThisCpu, WcCopy,
                         testing::ValuesIn(all_wc_copies().begin(), all_wc_copies().end()),
                         [](const auto& one) { return std::string(to_string(one.param.how)); });

TEST_P(WcCopy, IsExactForEveryShortLengthAtEveryAlignmentOfEitherSide) {
  for (std::size_t count = 0; count <= 80; ++count) {
    for (std::size_t to = 0; to < 64; to += count % 3 + 1) {
      for (std::size_t from = 0; from < 16; from += count % 5 + 1) {
        ASSERT_NO_FATAL_FAILURE(expect_exact(to, from, count));
      }
    }
  }
}

TEST_P(WcCopy, IsExactAtAwkwardOffsetsInBytesAndWords) {
  for (const std::size_t unit : {1UL, 4UL, 8UL}) {
    for (const std::size_t offset :
         {1UL, 2UL, 3UL, 4UL, 5UL, 6UL, 7UL, 11UL, 129UL, 1023UL / unit}) {
      for (const std::size_t count : {127UL, 128UL, 129UL, 1000UL, 4096UL, 4111UL}) {
        const auto bytes = std::min(count, 8192 - offset * unit);
        ASSERT_NO_FATAL_FAILURE(expect_exact(offset * unit, 0, bytes));
        ASSERT_NO_FATAL_FAILURE(expect_exact(0, offset * unit, bytes));
        ASSERT_NO_FATAL_FAILURE(expect_exact(offset * unit, offset * unit, bytes));
      }
    }
  }
}

TEST_P(WcCopy, TouchesNoByteOutsideOfTheRange) {
  // The range ends where the memory does: one byte more would end the process.
  test::pages near(3);
  test::pages far(3);
  near.protect(0, 1, test::protection::none);
  near.protect(2, 1, test::protection::none);
  far.protect(0, 1, test::protection::none);
  far.protect(2, 1, test::protection::none);
  const std::size_t page = near.bytes() / 3;
  for (std::size_t count = 0; count <= 300; ++count) {
    GetParam().store(far.data() + page, near.data() + page, count);
    GetParam().store(far.data() + 2 * page - count, near.data() + 2 * page - count, count);
    GetParam().load(near.data() + page, far.data() + page, count);
    GetParam().load(near.data() + 2 * page - count, far.data() + 2 * page - count, count);
  }
}

TEST(WcCopies, ArePlainEverywhereAndNamedOnce) {
  std::set<std::string_view> names;
  for (const auto& one : all_wc_copies()) {
    EXPECT_TRUE(names.insert(to_string(one.how)).second) << to_string(one.how);
  }
  EXPECT_EQ(all_wc_copies().front().how, wc_method::plain);
  EXPECT_TRUE(names.contains(to_string(best_wc_copies().how)));
#if defined(__x86_64__)
  EXPECT_TRUE(names.contains("sse2"));
#endif
}

TEST(WcCopies, WriteAndReadByTheBestOfThem) {
  const auto source = numbered(5001);
  std::vector<std::byte> far(source.size());
  std::vector<std::byte> back(source.size());
  wc_write(far.data(), source.data(), source.size());
  wc_read(back.data(), far.data(), far.size());
  EXPECT_EQ(far, source);
  EXPECT_EQ(back, source);
}

}  // namespace
}  // namespace pinhole::detail
