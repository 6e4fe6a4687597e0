// The reading kernel against a closed formula.
#include "scenarios/sum_words.hpp"

#include <numeric>

#include "pinhole/memory/mapped_buffer.hpp"
#include "scenarios/arms.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/unit/scenarios/devices.hpp"

namespace pinhole::scenarios {
namespace {

enum class handle { a_view, a_bare_pointer };

/// The sum of words 0, stride, ... of words that are their own numbers.
std::uint64_t sum_on(const device& where, const word_pattern& pattern, handle through) {
  const stream work(where);
  mapped_buffer<std::uint32_t> words(where, pattern.words);
  mapped_buffer<std::uint64_t> sums(where, blocks_for(where, pattern));
  std::iota(words.host().begin(), words.host().end(), 0U);
  words.to_device(work);
  sums.to_device(work);
  if (through == handle::a_view) {
    sum_words(work, words.device(), pattern, sums.device());
  } else {
    sum_words_bare(work, words.device().data(), pattern, sums.device().data());
  }
  sums.to_host(work);
  work.wait(patience);
  return std::accumulate(sums.host().begin(), sums.host().end(), std::uint64_t{0});
}

TEST(SumWords, ReadsEveryWordOfThePatternOnce) {
  for (const auto& where : test::all_devices()) {
    for (const std::size_t words : {1U, 3U, 4U, 5U, 1023U, 4096U, 65537U, 300001U}) {
      for (const std::size_t stride : {1U, 2U, 32U, 1024U}) {
        SCOPED_TRACE(where.id() + ", " + std::to_string(words) + " by " + std::to_string(stride));
        const std::uint64_t reads = (words - 1) / stride + 1;
        const std::uint64_t expected = stride * (reads * (reads - 1) / 2);
        EXPECT_EQ(sum_on(where, {words, stride}, handle::a_view), expected);
        EXPECT_EQ(sum_on(where, {words, stride}, handle::a_bare_pointer), expected);
      }
    }
  }
}

TEST(SumWords, ReadsManyTurnsOfALargeGrid) {
  constexpr std::uint64_t words = 9'000'000;
  for (const auto& where : test::all_devices()) {
    EXPECT_EQ(sum_on(where, {words, 1}, handle::a_view), words * (words - 1) / 2) << where.id();
  }
}

TEST(SumWords, RefusesAStartThatSixteenByteLoadsCannotHave) {
  const auto where = device::cpu();
  const stream work(where);
  const mapped_buffer<std::uint32_t> words(where, 8);
  const mapped_buffer<std::uint64_t> sums(where, 1);
  pinhole::test::expect_error(fault::invalid_argument, {"16 bytes"}, [&] {
    sum_words(work, words.device().subview(1, 7), {7, 1}, sums.device());
  });
}

}  // namespace
}  // namespace pinhole::scenarios
