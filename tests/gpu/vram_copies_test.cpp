// Bytes on their way into VRAM and out of it, at every alignment, as the device sees them.
#include <algorithm>
#include <array>
#include <numeric>

#include "tests/gpu/vram_fixture.hpp"

namespace pinhole::test {
namespace {

constexpr std::array<std::size_t, 10> offsets = {1, 2, 3, 4, 5, 6, 7, 11, 129, 1023};

class VramCopies : public VramOnGpu {
 protected:
  /// Writes at `to` from `from`, of every length that ends in an awkward place; what lies beside
  /// must stay as it was.
  template <class T>
  void expect_exact_writes(std::size_t to, std::size_t from) const {
    constexpr T untouched = 0x5a;
    vram_buffer<T> buffer(where, 4096);
    std::vector<T> source(4096);
    std::iota(source.begin(), source.end(), static_cast<T>(3));
    for (const std::size_t count :
         {1UL, 2UL, 3UL, 5UL, 8UL, 63UL, 64UL, 65UL, 127UL, 1000UL, 2500UL}) {
      std::vector<T> expected(buffer.size(), untouched);
      copy_to_device<T>(where, buffer.device(), expected);
      buffer.write(to, std::span<const T>(source).subspan(from, count));
      std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(from), count,
                  expected.begin() + static_cast<std::ptrdiff_t>(to));
      ASSERT_EQ(on_device(buffer), expected) << count << " elements from " << from << " to " << to;
    }
  }

  template <class T>
  void expect_exact_reads(std::size_t from, std::size_t to) const {
    constexpr T untouched = 0x5a;
    vram_buffer<T> buffer(where, 4096);
    std::vector<T> source(buffer.size());
    std::iota(source.begin(), source.end(), static_cast<T>(9));
    copy_to_device<T>(where, buffer.device(), source);
    for (const std::size_t count :
         {1UL, 2UL, 3UL, 5UL, 8UL, 63UL, 64UL, 65UL, 127UL, 1000UL, 2500UL}) {
      std::vector<T> got(4096, untouched);
      std::vector<T> expected = got;
      buffer.read(from, std::span(got).subspan(to, count));
      std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(from), count,
                  expected.begin() + static_cast<std::ptrdiff_t>(to));
      ASSERT_EQ(got, expected) << count << " elements from " << from << " to " << to;
    }
  }

  template <class T>
  void expect_exact_copies() const {
    for (const auto one : offsets) {
      expect_exact_writes<T>(one, 0);
      expect_exact_writes<T>(0, one);
      expect_exact_writes<T>(one, one);
      expect_exact_reads<T>(one, 0);
      expect_exact_reads<T>(0, one);
      expect_exact_reads<T>(one, one);
    }
  }
};

TEST_F(VramCopies, OfWalkingBitsByPlainStoresArrive) {
  on_two_threads([&] {
    vram_buffer<std::uint64_t> buffer(where, 64 * 1024);
    for (unsigned shift = 0; shift < 64; ++shift) {
      std::vector<std::uint64_t> expected(buffer.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        expected[i] = std::uint64_t{1} << ((shift + i) % 64);
      }
      std::copy(expected.begin(), expected.end(), buffer.host().begin());
      drain_writes();
      ASSERT_EQ(on_device(buffer), expected) << "shift " << shift;
    }
  });
}

TEST_F(VramCopies, OfBytesAreExactAtAwkwardOffsetsOnEitherSide) {
  on_two_threads([&] { expect_exact_copies<std::uint8_t>(); });
}

TEST_F(VramCopies, OfWordsAreExactAtAwkwardOffsetsOnEitherSide) {
  on_two_threads([&] { expect_exact_copies<std::uint32_t>(); });
}

TEST_F(VramCopies, ByTheCpuAloneAndByTheEngineReadTheSame) {
  std::vector<std::uint32_t> source(100'003);
  std::iota(source.begin(), source.end(), 17U);
  vram_buffer<std::uint32_t> buffer(where, source.size());
  buffer.write(0, source);
  const auto before = where.tuning().vram_read_by_engine_from;
  for (const std::size_t from : {std::size_t{0}, SIZE_MAX}) {
    where.tuning().vram_read_by_engine_from = from;
    std::vector<std::uint32_t> got(source.size());
    buffer.read(0, got);
    EXPECT_EQ(got, source) << "the engine reads from " << from << " bytes on";
  }
  where.tuning().vram_read_by_engine_from = before;
}

TEST_F(VramCopies, BySeveralThreadsAreExact) {
  std::vector<std::uint8_t> source((9U << 20U) + 13);
  for (std::size_t i = 0; i < source.size(); ++i) {
    source[i] = static_cast<std::uint8_t>(i * 31 + (i >> 9U));
  }
  for (const unsigned threads : {2U, 3U, 4U}) {
    vram_buffer<std::uint8_t> buffer(where, source.size() + 64, {.write_threads = threads});
    for (const std::size_t offset : {0UL, 1UL, 37UL}) {
      const std::vector<std::uint8_t> zeros(buffer.size());
      copy_to_device<std::uint8_t>(where, buffer.device(), zeros);
      buffer.write(offset, source);
      const auto got = on_device(buffer);
      ASSERT_TRUE(std::equal(source.begin(), source.end(),
                             got.begin() + static_cast<std::ptrdiff_t>(offset)))
          << threads << " threads at " << offset;
      ASSERT_EQ(std::count(got.begin() + static_cast<std::ptrdiff_t>(offset + source.size()),
                           got.end(), 0),
                static_cast<std::ptrdiff_t>(64 - offset));
    }
  }
}

TEST_F(VramCopies, OfTwoBuffersInOnePageDoNotDisturbEachOther) {
  on_two_threads([&] {
    auto first = std::make_unique<vram_buffer<std::uint8_t>>(where, 300);
    vram_buffer<std::uint8_t> second(where, 300);
    const std::vector<std::uint8_t> ones(300, 1);
    const std::vector<std::uint8_t> twos(300, 2);
    first->write(0, ones);
    second.write(0, twos);
    EXPECT_EQ(on_device(*first), ones);
    first.reset();
    EXPECT_EQ(on_device(second), twos);
    EXPECT_EQ(second.host()[299], 2);
    const std::vector<std::uint8_t> threes(300, 3);
    second.write(0, threes);
    EXPECT_EQ(on_device(second), threes);
  });
}

TEST_F(VramCopies, GoOnAfterTheirOwnerMoved) {
  on_two_threads([&] {
    vram_buffer<std::uint32_t> before(where, 1000);
    before.host()[7] = 70;
    auto* const host = before.host().data();
    const vram_buffer<std::uint32_t> now = std::move(before);
    EXPECT_EQ(now.host().data(), host);
    now.host()[8] = 80;
    drain_writes();
    const auto got = on_device(now);
    EXPECT_EQ(got[7], 70U);
    EXPECT_EQ(got[8], 80U);
  });
}

}  // namespace
}  // namespace pinhole::test
