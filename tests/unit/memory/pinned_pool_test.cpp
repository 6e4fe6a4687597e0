// Pieces of pinned memory that come back, but never while the device may use them.
#include "pinhole/memory/pinned_pool.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "memory/pool_core.hpp"
#include "pinhole/memory/pin_budget.hpp"
#include "pinhole/memory/pool_allocators.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/faulty_backend.hpp"
#include "tests/support/gate.hpp"
#include "tests/support/kernels.hpp"
#include "tests/support/os.hpp"

namespace pinhole {
namespace {

using namespace std::chrono_literals;
using test::expect_error;
using test::primitive;

class PinnedPool : public testing::Test {
 protected:
  ~PinnedPool() override {
    EXPECT_EQ(where.collect(), 0U);
    EXPECT_EQ(pin_budget::process().in_use(), pinned_before);
  }
  [[nodiscard]] std::size_t blocks() const { return driver->live().host_blocks; }

  std::uint64_t pinned_before = pin_budget::process().in_use();
  std::shared_ptr<test::faulty_backend> driver =
      std::make_shared<test::faulty_backend>(platform::make_cpu({}));
  device where = platform::make_device(driver, "cpu", "double");
};

TEST(SizeClass, WastesAtMostAnEighth) {
  for (std::size_t bytes = 1; bytes < 5000; ++bytes) {
    const auto got = detail::size_class(bytes, 1);
    ASSERT_GE(got, bytes);
    ASSERT_EQ(got % 64, 0U);
    ASSERT_TRUE(got - bytes < 64 || (got - bytes) * 8 <= bytes) << bytes << " -> " << got;
    ASSERT_EQ(detail::size_class(got, 1), got) << "a class is in itself";
  }
  std::minstd_rand random(1);
  std::uniform_int_distribution<std::size_t> sizes(5000, std::size_t{1} << 40U);
  for (int i = 0; i < 1000; ++i) {
    const auto bytes = sizes(random);
    const auto got = detail::size_class(bytes, 1);
    ASSERT_TRUE(got >= bytes && (got - bytes) * 8 <= bytes) << bytes << " -> " << got;
  }
  EXPECT_EQ(detail::size_class(0, 1), 64U);
  EXPECT_EQ(detail::size_class(577, 256), 768U) << "a multiple of the alignment";
}

TEST_F(PinnedPool, ServesManySmallRequestsFromOneBlock) {
  const pinned_pool pool(where);
  std::vector<void*> taken;
  for (int i = 0; i < 1000; ++i) {
    taken.push_back(pool.allocate(100));
    std::memset(taken.back(), i, 100);
  }
  EXPECT_EQ(blocks(), 1U);
  const auto now = pool.statistics();
  EXPECT_EQ(now.lent, 1000U);
  EXPECT_EQ(now.lent_bytes, 128'000U);
  EXPECT_EQ(now.misses, 1U);
  EXPECT_EQ(now.hits, 999U);
  EXPECT_EQ(pin_budget::process().in_use(), pinned_before + now.held_bytes);
  for (auto* const one : taken) {
    pool.deallocate(one);
  }
  EXPECT_EQ(pool.statistics().lent_bytes, 0U);
}

TEST_F(PinnedPool, AsksTheDriverOnlyOnceForMemoryThatComesBack) {
  const pinned_pool pool(where);
  void* const first = pool.allocate(3'000'000);
  pool.deallocate(first);
  driver->heal();
  void* const second = pool.allocate(2'900'000);  // of the same class
  EXPECT_EQ(second, first);
  EXPECT_EQ(driver->calls(), 0U);
  pool.deallocate(second);
  pool.deallocate(nullptr);
}

TEST_F(PinnedPool, KeepsWhatItHasUntilItIsTrimmed) {
  const pinned_pool pool(where);
  void* const large = pool.allocate(2'000'000);
  void* const small = pool.allocate(10);
  pool.deallocate(large);
  EXPECT_EQ(blocks(), 2U);
  EXPECT_EQ(pool.trim(), detail::size_class(2'000'000, 1));
  EXPECT_EQ(blocks(), 1U) << "what is lent stays";
  pool.deallocate(small);
  EXPECT_GT(pool.trim(), 0U);
  EXPECT_EQ(blocks(), 0U);
  EXPECT_EQ(pool.statistics().held_bytes, 0U);
  EXPECT_EQ(pool.trim(), 0U);
  pool.deallocate(pool.allocate(10));
}

TEST_F(PinnedPool, LendsNothingAgainBeforeTheWorkIsDone) {
  const pinned_pool pool(where);
  const stream work(where);
  void* const first = pool.allocate(2'000'000);
  test::gate closed(work);
  pool.deallocate(first, work);
  EXPECT_EQ(pool.statistics().waiting, 1U);
  EXPECT_EQ(pool.trim(), 0U);
  void* const second = pool.allocate(2'000'000);
  EXPECT_NE(second, first);
  closed.open();
  work.wait(60s);
  EXPECT_EQ(pool.statistics().waiting, 0U);
  EXPECT_EQ(pool.allocate(2'000'000), first);
  pool.deallocate(first);
  pool.deallocate(second);
}

TEST_F(PinnedPool, MayEndBeforeTheWorkThatUsesItsMemory) {
  const stream work(where);
  test::gate closed(work);
  {
    const pinned_pool pool(where);
    pool.deallocate(pool.allocate(100), work);
  }
  EXPECT_EQ(where.collect(), 1U);
  EXPECT_EQ(blocks(), 1U);
  closed.open();
  work.wait(60s);
  EXPECT_EQ(where.collect(), 0U);
  EXPECT_EQ(blocks(), 0U);
}

TEST_F(PinnedPool, MayEndBeforeABufferThatCameFromIt) {
  auto pool = std::make_unique<pinned_pool>(where);
  pooled_buffer<int> buffer(*pool, 1000);
  pool.reset();
  const stream work(where);
  buffer.to_device(work);
  test::add(work, buffer.device(), 1);
  buffer.to_host(work);
  work.wait(60s);
}

TEST_F(PinnedPool, GivesAddressesForKernels) {
  const pinned_pool pool(where);
  auto* const memory = static_cast<std::byte*>(pool.allocate(100));
  EXPECT_EQ(pool.device_address(memory + 3), memory + 3) << "the CPU device shares memory";
  expect_error(fault::invalid_argument, {"not from this pool"},
               [&] { (void)pool.device_address(&pool); });
  pool.deallocate(memory);
}

TEST_F(PinnedPool, AlignsUpToAPage) {
  const pinned_pool pool(where);
  for (const std::size_t alignment : {1UL, 8UL, 128UL, 4096UL}) {
    void* const one = pool.allocate(200, alignment);
    void* const two = pool.allocate(200, alignment);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(one) % alignment, 0U);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(two) % alignment, 0U);
    pool.deallocate(one);
    pool.deallocate(two);
  }
  for (const std::size_t alignment : {0UL, 3UL, 8192UL}) {
    expect_error(fault::invalid_argument, {"alignment", std::to_string(alignment)},
                 [&] { (void)pool.allocate(1, alignment); });
  }
}

TEST_F(PinnedPool, RefusesWhatCannotBeAndHasChangedNothing) {
  pin_budget part("pool", 4U << 20U);
  const pinned_pool pool(where, {.budget = &part});
  pool.deallocate(pool.allocate(10));
  const auto before = pool.statistics();
  expect_error(fault::over_budget, {"'pool'"}, [&] { (void)pool.allocate(8U << 20U); });
  expect_error(fault::out_of_memory, {}, [&] { (void)pool.allocate(SIZE_MAX); });
  driver->fail_every(primitive::allocate_host, platform::outcome::out_of_memory);
  expect_error(fault::out_of_memory, {"pinned pool"}, [&] { (void)pool.allocate(2'000'000); });
  driver->heal();
  EXPECT_EQ(pool.statistics().held_bytes, before.held_bytes);
  EXPECT_EQ(part.in_use(), before.held_bytes);
}

TEST_F(PinnedPool, ReportsForeignMemoryAndLeavesItAlone) {
  const test::cleanup_log log;
  const pinned_pool pool(where);
  int foreign = 0;
  pool.deallocate(&foreign);
  ASSERT_EQ(log.errors().size(), 1U);
  EXPECT_EQ(log.errors()[0].kind(), fault::invalid_argument);
  const stream work(where);
  expect_error(fault::invalid_argument, {"not from this pool"},
               [&] { pool.deallocate(&foreign, work); });
}

TEST_F(PinnedPool, KeepsMemoryTheCallersWhenItsMarkFails) {
  const pinned_pool pool(where);
  const stream work(where);
  void* const memory = pool.allocate(100);
  for (const auto failing : {primitive::create_event, primitive::record_event}) {
    driver->fail_every(failing, platform::outcome::failed);
    expect_error(fault::call_failed, {test::to_string(failing)},
                 [&] { pool.deallocate(memory, work); });
    driver->heal();
  }
  EXPECT_EQ(pool.statistics().lent, 1U);
  pool.deallocate(memory);
}

TEST_F(PinnedPool, ServesThreadsAtTheSameTime) {
  const pinned_pool pool(where);
  std::vector<std::thread> users;
  for (unsigned user = 0; user < 4; ++user) {
    users.emplace_back([&pool, user] {
      std::minstd_rand random(user + 1);
      std::vector<std::pair<unsigned*, std::size_t>> mine;
      for (int i = 0; i < 300; ++i) {
        const std::size_t count = 1 + random() % 5000;
        auto* const memory = static_cast<unsigned*>(pool.allocate(count * sizeof(unsigned)));
        std::fill_n(memory, count, user);
        mine.emplace_back(memory, count);
        if (mine.size() > 10) {
          const auto [first, n] = mine[random() % mine.size()];
          EXPECT_EQ(std::count(first, first + n, user), static_cast<std::ptrdiff_t>(n));
          std::erase_if(mine, [&, at = first](const auto& one) { return one.first == at; });
          pool.deallocate(first);
        }
      }
      for (const auto& [memory, count] : mine) {
        pool.deallocate(memory);
      }
      pool.trim();
    });
  }
  for (auto& user : users) {
    user.join();
  }
  EXPECT_EQ(pool.statistics().lent, 0U);
}

TEST_F(PinnedPool, IsLeftToTheParentInAForkedChild) {
  auto pool = std::make_unique<pinned_pool>(where);
  pool->deallocate(pool->allocate(100));
  const auto child = test::in_forked_child([&] { pool.reset(); });
  EXPECT_EQ(child.exit_code, 0) << child.output;
  EXPECT_EQ(blocks(), 1U);
}

TEST_F(PinnedPool, ServesContainers) {
  const pinned_pool pool(where);
  {
    pinned_resource resource(pool);
    std::pmr::vector<int> numbers({1, 2, 3}, &resource);
    numbers.resize(1000, 4);
    EXPECT_EQ(numbers[999], 4);
    EXPECT_NO_THROW((void)pool.device_address(numbers.data()));
    EXPECT_TRUE(resource.is_equal(pinned_resource(pool)));
    EXPECT_FALSE(resource.is_equal(pinned_resource(pinned_pool(where))));
    EXPECT_FALSE(resource.is_equal(*std::pmr::new_delete_resource()));

    std::vector<float, pinned_allocator<float>> first(500, 1.5F, pool);
    auto second = std::move(first);
    first = second;
    EXPECT_EQ(first[499], 1.5F);
    EXPECT_NO_THROW((void)pool.device_address(first.data()));
    EXPECT_NE(pinned_allocator<int>(pinned_pool(where)), pinned_allocator<int>(pool));
  }
  EXPECT_EQ(pool.statistics().lent, 0U);
}

}  // namespace
}  // namespace pinhole
