// Memory that somebody else pinned, used without owning it.
#include "pinhole/memory/pinned_view.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <vector>

#include "pinhole/memory/mapped_buffer.hpp"
#include "pinhole/memory/pin_budget.hpp"
#include "pinhole/memory/registered_buffer.hpp"
#include "platform/platform.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/faulty_backend.hpp"
#include "tests/support/kernels.hpp"

namespace pinhole {
namespace {

using namespace std::chrono_literals;
using test::expect_error;

class PinnedView : public testing::Test {
 protected:
  std::shared_ptr<test::faulty_backend> driver =
      std::make_shared<test::faulty_backend>(platform::make_cpu({}));
  device where = platform::make_device(driver, "cpu", "double");
};

TEST_F(PinnedView, AdoptsAForeignPinnedAllocationAndOwnsNothing) {
  void* host = nullptr;
  void* on_device = nullptr;
  ASSERT_TRUE(driver->allocate_host(400, {}, &host, &on_device).ok());
  const auto pinned_before = pin_budget::process().in_use();
  const std::span<int> foreign(static_cast<int*>(host), 100);
  foreign[99] = 5;
  {
    pinned_view<int> adopted(where, foreign);
    EXPECT_EQ(adopted.host().data(), foreign.data());
    EXPECT_EQ(adopted.placed(), placement::registered);
    EXPECT_EQ(pin_budget::process().in_use(), pinned_before);
    const stream work(where);
    adopted.to_device(work);
    test::add(work, adopted.device(), 1);
    adopted.to_host(work);
    work.wait(10s);
  }
  EXPECT_EQ(foreign[99], 6);
  EXPECT_EQ(driver->live().host_blocks, 1U);
  EXPECT_TRUE(driver->free_host(host).ok());
}

TEST_F(PinnedView, AdoptsAPartOfAnotherBuffer) {
  mapped_buffer<int> mapped(where, 100);
  std::vector<int> users(100);
  registered_buffer<int> registered(where, users);
  const pinned_view<int> some(where, mapped.host().subspan(10, 20));
  const pinned_view<int> others(where, registered.host().subspan(99, 1));
  EXPECT_EQ(some.device().data(), mapped.device().data() + 10);
  EXPECT_EQ(others.device().data(), registered.device().data() + 99);
}

TEST_F(PinnedView, OfNothingIsEmpty) {
  const pinned_view<int> nothing(where, std::span<int>());
  EXPECT_TRUE(nothing.empty());
}

TEST_F(PinnedView, RefusesPageableMemoryAndPointsToRegisteredBuffer) {
  std::vector<int> users(100);
  expect_error(fault::invalid_argument, {"adopt", "not pinned", "registered_buffer"},
               [&] { (void)pinned_view<int>(where, users); });
  const registered_buffer<int> half(where, std::span(users).first(50));
  expect_error(fault::invalid_argument, {"not pinned"},
               [&] { (void)pinned_view<int>(where, users); });
}

TEST_F(PinnedView, RefusesDeviceMemory) {
  void* memory = nullptr;
  ASSERT_TRUE(driver->allocate_device(4096, &memory).ok());
  expect_error(fault::invalid_argument, {"adopt", "device memory"}, [&] {
    (void)pinned_view<char>(where, std::span(static_cast<char*>(memory), 4096));
  });
  EXPECT_TRUE(driver->free_device(memory).ok());
}

TEST_F(PinnedView, RefusesNullAndWrappingRanges) {
  expect_error(fault::invalid_argument, {"adopt", "null"}, [&] {
    (void)pinned_view<int>(where, std::span<int>(static_cast<int*>(nullptr), 1));
  });
  auto* const last = reinterpret_cast<char*>(UINTPTR_MAX - 10);
  expect_error(fault::invalid_argument, {"wraps around"},
               [&] { (void)pinned_view<char>(where, std::span(last, 100)); });
}

}  // namespace
}  // namespace pinhole
