// Many small places in few large blocks.
#include "memory/vram_pool.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "tests/support/faulty_backend.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/os.hpp"

namespace pinhole::detail {
namespace {

using platform::outcome;
using test::primitive;
using place = vram_pool::place;

constexpr std::size_t block = std::size_t{1} << 20U;

class VramPool : public testing::Test {
 protected:
  place* take(std::size_t bytes) {
    place* taken = nullptr;
    const auto result = pool.take(bytes, taken);
    EXPECT_TRUE(result.ok()) << result.name;
    return taken;
  }
  [[nodiscard]] std::size_t blocks() const { return driver->live().vram_blocks; }

  std::shared_ptr<test::faulty_backend> driver =
      std::make_shared<test::faulty_backend>(platform::make_cpu({}));
  vram_pool pool{*driver, block};
};

TEST_F(VramPool, ServesSmallRequestsFromOneBlock) {
  std::vector<place*> taken;
  for (int i = 0; i < 100; ++i) {
    taken.push_back(take(1000));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(taken.back()->host()) % vram_pool::granule, 0U);
  }
  EXPECT_EQ(blocks(), 1U);
  EXPECT_EQ(taken[1]->host() - taken[0]->host(), 1024);
  for (auto* const one : taken) {
    EXPECT_TRUE(pool.give_back(one));
  }
  EXPECT_EQ(pool.count().free_places, 1U) << "neighbours were not joined";
  EXPECT_EQ(pool.count().free_bytes, block);
}

TEST_F(VramPool, GivesLargeRequestsABlockOfTheirOwnAndTakesNoMoreThanTheyAsk) {
  auto* const large = take(block / 2 + 1);
  EXPECT_EQ(blocks(), 1U);
  EXPECT_EQ(pool.count().free_bytes, 0U);
  auto* const small = take(10);
  EXPECT_EQ(blocks(), 2U);
  EXPECT_TRUE(pool.give_back(large));
  EXPECT_EQ(blocks(), 1U) << "the block of the large one goes back at once";
  EXPECT_TRUE(pool.give_back(small));
}

TEST_F(VramPool, TakesTheSmallestPlaceThatIsLargeEnough) {
  auto* const a = take(4096);
  auto* const keep_a = take(256);
  auto* const b = take(1024);
  auto* const keep_b = take(256);
  auto* const c = take(2048);
  auto* const keep_c = take(256);
  auto* const at_b = b->host();
  auto* const at_c = c->host();
  for (auto* const one : {a, b, c}) {
    EXPECT_TRUE(pool.give_back(one));
  }
  auto* const two = take(1500);
  auto* const one = take(900);
  EXPECT_EQ(two->host(), at_c);
  EXPECT_EQ(one->host(), at_b);
  for (auto* const taken : {two, one, keep_a, keep_b, keep_c}) {
    EXPECT_TRUE(pool.give_back(taken));
  }
  EXPECT_EQ(pool.count().free_places, 1U);
}

TEST_F(VramPool, KeepsOneFreeBlockAndReturnsTheOthers) {
  std::vector<place*> taken;
  for (int i = 0; i < 6; ++i) {
    taken.push_back(take(block / 2));
  }
  EXPECT_EQ(blocks(), 3U);
  for (auto* const one : taken) {
    EXPECT_TRUE(pool.give_back(one));
  }
  EXPECT_EQ(blocks(), 1U);
  pool.release_spares();
  EXPECT_EQ(blocks(), 0U);
  EXPECT_EQ(pool.count().free_places, 0U);
}

TEST_F(VramPool, PlacesNeverOverlapAndNothingIsLostInManyRandomRounds) {
  std::mt19937 random(11);
  std::map<std::byte*, std::pair<place*, std::size_t>> taken;  // by address
  for (int round = 0; round < 20'000; ++round) {
    if (taken.empty() || random() % 100 < 52) {
      const std::size_t bytes = 1 + random() % (random() % 20 == 0 ? 2 * block : 20'000);
      auto* const made = take(bytes);
      const auto next = taken.lower_bound(made->host());
      ASSERT_TRUE(next == taken.end() || made->host() + bytes <= next->first);
      ASSERT_TRUE(next == taken.begin() ||
                  std::prev(next)->first + std::prev(next)->second.second <= made->host());
      taken.emplace(made->host(), std::pair(made, bytes));
    } else {
      const auto chosen =
          std::next(taken.begin(), static_cast<std::ptrdiff_t>(random() % taken.size()));
      ASSERT_TRUE(pool.give_back(chosen->second.first));
      taken.erase(chosen);
    }
  }
  for (const auto& [address, one] : taken) {
    ASSERT_TRUE(pool.give_back(one.first));
  }
  EXPECT_EQ(blocks(), 1U);
  EXPECT_EQ(pool.count().free_places, 1U);
  pool.release_spares();
  EXPECT_EQ(driver->live(), test::live_resources{});
  EXPECT_EQ(driver->wrong_releases(), 0U);
}

TEST_F(VramPool, IsWhatItWasWhenTheDriverHasNoMore) {
  auto* const taken = take(100);
  const auto before = pool.count();
  driver->fail_every(primitive::allocate_vram, outcome::out_of_memory);
  place* none = nullptr;
  EXPECT_EQ(pool.take(block, none).what, outcome::out_of_memory);
  EXPECT_EQ(none, nullptr);
  EXPECT_EQ(pool.count().blocks, before.blocks);
  auto* const another = take(100);  // which the block that is there has room for
  driver->heal();
  EXPECT_TRUE(pool.give_back(taken));
  EXPECT_TRUE(pool.give_back(another));
}

TEST_F(VramPool, KeepsAPlaceWhoseBlockMayNotBeReturnedNow) {
  auto* const large = take(3 * block);
  driver->fail_every(primitive::free_vram, outcome::not_permitted);
  EXPECT_FALSE(pool.give_back(large));
  std::fill_n(large->host(), 3 * block, std::byte{1});  // is still ours
  driver->heal();
  EXPECT_TRUE(pool.give_back(large));
  EXPECT_EQ(blocks(), 0U);
}

TEST_F(VramPool, KeepsASpareThatMayNotBeReturnedNow) {
  EXPECT_TRUE(pool.give_back(take(10)));
  driver->fail_every(primitive::free_vram, outcome::not_permitted);
  pool.release_spares();
  EXPECT_EQ(blocks(), 1U);
  driver->heal();
  auto* const again = take(10);
  EXPECT_EQ(blocks(), 1U);
  EXPECT_TRUE(pool.give_back(again));
}

TEST_F(VramPool, MayBeUsedFromManyThreads) {
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::minstd_rand random(t + 1);
      for (int i = 0; i < 2000; ++i) {
        const std::size_t bytes = 1 + random() % 3000;
        auto* const mine = take(bytes);
        std::fill_n(mine->host(), bytes, static_cast<std::byte>(t));
        ASSERT_EQ(std::count(mine->host(), mine->host() + bytes, static_cast<std::byte>(t)),
                  static_cast<std::ptrdiff_t>(bytes));
        ASSERT_TRUE(pool.give_back(mine));
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(pool.count().free_places, 1U);
}

TEST_F(VramPool, AmongAHundredThousandPlacesTakesOneInMicroseconds) {
  vram_pool large(*driver, std::size_t{64} << 20U);
  std::vector<place*> taken(100'000);
  for (auto& one : taken) {
    ASSERT_TRUE(large.take(256, one).ok());
  }
  for (std::size_t i = 0; i < taken.size(); i += 2) {
    ASSERT_TRUE(large.give_back(taken[i]));
  }
  std::vector<double> microseconds;
  for (std::size_t i = 0; i < taken.size(); i += 2) {
    const auto start = std::chrono::steady_clock::now();
    ASSERT_TRUE(large.take(256, taken[i]).ok());
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    microseconds.push_back(took.count());
  }
  std::ranges::nth_element(microseconds, microseconds.begin() + 25'000);
  // A search that goes through them all takes a hundred times as long.
  EXPECT_LT(microseconds[25'000], 20.0);
  for (auto* const one : taken) {
    ASSERT_TRUE(large.give_back(one));
  }
}

TEST(VramPoolOfADevice, IsAnotherOneInAForkedChild) {
  const auto where = platform::make_device(platform::make_cpu({}), "cpu", "cpu");
  auto& pool = vram_pool_of(where);
  EXPECT_EQ(&pool, &vram_pool_of(where));
  place* taken = nullptr;
  ASSERT_TRUE(pool.take(10, taken).ok());
  const auto child = test::in_forked_child([&] {
    where.collect();
    if (vram_pool_of(where).count().blocks != 0) {
      throw std::runtime_error("the child took over the parent's blocks");
    }
  });
  EXPECT_EQ(child.exit_code, 0) << child.output;
  EXPECT_TRUE(pool.give_back(taken));
  where.collect();
  EXPECT_EQ(pool.count().blocks, 0U);
}

}  // namespace
}  // namespace pinhole::detail
