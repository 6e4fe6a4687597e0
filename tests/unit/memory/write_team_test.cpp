// Writes in pieces, by whoever is awake.
#include "memory/write_team.hpp"

#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <thread>
#include <vector>

#include "tests/support/os.hpp"

namespace pinhole::detail {
namespace {

std::vector<std::byte> noise(std::size_t count, unsigned seed) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) {
    bytes[i] = static_cast<std::byte>((i * 2654435761U + seed) >> 13U);
  }
  return bytes;
}

TEST(WriteTeam, WritesEveryByteOnceWhateverTheLengthAndAlignment) {
  const auto team = write_team::with(write_team::most_threads);
  const auto source = noise(1'000'000, 1);
  for (const std::size_t count :
       {0UL, 1UL, 63UL, 65'535UL, 65'536UL, 65'537UL, 300'000UL, 999'000UL}) {
    for (const std::size_t to : {0UL, 1UL, 61UL}) {
      std::vector<std::byte> far(count + 200, std::byte{0x11});
      team->write(far.data() + to, source.data() + 3, count, 4);
      std::vector<std::byte> expected(count + 200, std::byte{0x11});
      std::copy_n(source.begin() + 3, count, expected.begin() + static_cast<std::ptrdiff_t>(to));
      ASSERT_EQ(far, expected) << count << " bytes to " << to;
    }
  }
}

TEST(WriteTeam, IsOneForTheProcessAndEndsWithItsLastHolder) {
  auto first = write_team::with(2);
  auto second = write_team::with(4);
  EXPECT_EQ(first, second);
  const std::weak_ptr<write_team> watched = first;
  first.reset();
  EXPECT_FALSE(watched.expired());
  second.reset();
  EXPECT_TRUE(watched.expired());
}

TEST(WriteTeam, MayBeUsedByManyThreadsAtOnce) {
  const auto team = write_team::with(3);
  std::array<std::vector<std::byte>, 4> far;
  std::vector<std::thread> writers;
  for (unsigned i = 0; i < far.size(); ++i) {
    writers.emplace_back([&, i] {
      for (unsigned round = 0; round < 20; ++round) {
        const auto source = noise(400'000, i * 100 + round);
        far[i].assign(source.size(), std::byte{0});
        team->write(far[i].data(), source.data(), source.size(), 3);
        ASSERT_EQ(far[i], source) << "writer " << i << ", round " << round;
      }
    });
  }
  for (auto& writer : writers) {
    writer.join();
  }
}

TEST(WriteTeam, WritesAloneInAForkedChild) {
  const auto team = write_team::with(4);
  const auto source = noise(300'000, 9);
  std::vector<std::byte> far(source.size());
  const auto child = test::in_forked_child([&] {
    team->write(far.data(), source.data(), source.size(), 4);
    if (far != source) {
      throw std::runtime_error("bytes differ");
    }
  });
  EXPECT_EQ(child.exit_code, 0) << child.output;
}

}  // namespace
}  // namespace pinhole::detail
