// The user's own memory: what may be registered, and how each refusal tells itself apart.
#include "pinhole/memory/registered_buffer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "pinhole/memory/pin_budget.hpp"
#include "platform/linux/host_memory.hpp"
#include "platform/platform.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/faulty_backend.hpp"
#include "tests/support/kernels.hpp"
#include "tests/support/os.hpp"

namespace pinhole {
namespace {

using namespace std::chrono_literals;
using test::expect_error;

class RegisteredBuffer : public testing::Test {
 protected:
  std::shared_ptr<test::faulty_backend> driver =
      std::make_shared<test::faulty_backend>(platform::make_cpu({}));
  device where = platform::make_device(driver, "cpu", "double");
  std::uint64_t pinned_before = pin_budget::process().in_use();

  /// After a refusal nothing is pinned, counted or left in the last-error slot.
  void expect_untouched(std::size_t registrations = 0) const {
    EXPECT_EQ(driver->live().registrations, registrations);
    EXPECT_TRUE(driver->peek_last_error().ok());
    if (registrations == 0) {
      EXPECT_EQ(pin_budget::process().in_use(), pinned_before);
    }
  }
};

std::string range(const void* first, std::size_t bytes) {
  std::ostringstream text;
  const auto low = reinterpret_cast<std::uintptr_t>(first);
  text << std::hex << "[0x" << low << ", 0x" << low + bytes << ")";
  return text.str();
}

TEST_F(RegisteredBuffer, IsTheUsersMemoryInPlace) {
  std::vector<int> users(1000, 1);
  {
    registered_buffer<int> buffer(where, users);
    EXPECT_EQ(buffer.host().data(), users.data());
    EXPECT_EQ(buffer.placed(), placement::registered);
    const stream work(where);
    buffer.to_device(work);
    test::add(work, buffer.device(), 1);
    buffer.to_host(work);
    work.wait(10s);
  }
  EXPECT_EQ(std::count(users.begin(), users.end(), 2), 1000) << "and stays the user's afterwards";
  expect_untouched();
}

TEST_F(RegisteredBuffer, MakesNoDriverCallAtAHandOver) {
  std::vector<int> users(100);
  registered_buffer<int> buffer(where, users);
  const stream work(where);
  driver->heal();
  buffer.to_device(work);
  EXPECT_EQ(driver->calls(), 0U);
}

TEST_F(RegisteredBuffer, OfAnEmptySpanIsAnEmptyBuffer) {
  std::vector<int> users(4);
  const registered_buffer<int> nothing(where, std::span<int>());
  const registered_buffer<int> also_nothing(where, std::span(users).subspan(2, 0));
  const registered_buffer<int> around_it(where, users);
  EXPECT_TRUE(nothing.empty());
  EXPECT_TRUE(also_nothing.empty());
  EXPECT_EQ(around_it.size(), 4U);
  expect_untouched(1);
}

TEST_F(RegisteredBuffer, NeedsNoAlignment) {
  test::pages memory(2);
  auto* const odd = reinterpret_cast<unsigned char*>(memory.data()) + 4093;
  registered_buffer<unsigned char> buffer(where, std::span(odd, 7));  // across the page's end
  std::fill(buffer.host().begin(), buffer.host().end(), static_cast<unsigned char>(0x0f));
  const stream work(where);
  buffer.to_device(work);
  test::flip(work, buffer.device(), 0xff);
  buffer.to_host(work);
  work.wait(10s);
  EXPECT_EQ(std::count(odd, odd + 7, 0xf0), 7);
  EXPECT_EQ(odd[-1], 0);
  EXPECT_EQ(odd[7], 0);
}

TEST_F(RegisteredBuffer, MayBeOnTheStackOrStatic) {
  static std::array<int, 100> of_the_program{};
  std::array<int, 100> of_the_function{};
  for (auto* const memory : {&of_the_program, &of_the_function}) {
    registered_buffer<int> buffer(where, *memory);
    const stream work(where);
    buffer.to_device(work);
    test::add(work, buffer.device(), 3);
    buffer.to_host(work);
    work.wait(10s);
    EXPECT_EQ(std::count(memory->begin(), memory->end(), 3), 100);
  }
  expect_untouched();
}

TEST_F(RegisteredBuffer, IsACopyOfItsOwnInAForkedChild) {
  std::vector<int> users(1000, 1);
  const registered_buffer<int> buffer(where, users);
  const auto child = test::in_forked_child([&] {
    if (users[999] != 1) {
      throw std::runtime_error("the child does not see the user's memory");
    }
    users[0] = 2;
  });
  EXPECT_EQ(child.exit_code, 0) << child.output;
  EXPECT_EQ(users[0], 1);
  EXPECT_EQ(buffer.device()[0], 1);
}

TEST_F(RegisteredBuffer, SharesAPageWithADisjointOne) {
  test::pages memory(1);
  auto* const data = reinterpret_cast<int*>(memory.data());
  const registered_buffer<int> left(where, std::span(data, 10));
  const registered_buffer<int> right(where, std::span(data + 10, 10));  // touching
  EXPECT_EQ(driver->live().registrations, 2U);
}

TEST_F(RegisteredBuffer, CountsWholePagesAgainstTheBudget) {
  const std::size_t page = platform::page_size();
  test::pages memory(3);
  auto* const data = reinterpret_cast<unsigned char*>(memory.data());
  {
    const registered_buffer<unsigned char> one(where, std::span(data + 5, 1));
    EXPECT_EQ(pin_budget::process().in_use(), pinned_before + page);
    const registered_buffer<unsigned char> two(where, std::span(data + 2 * page - 1, 2));
    EXPECT_EQ(pin_budget::process().in_use(), pinned_before + 3 * page);
  }
  expect_untouched();
}

TEST_F(RegisteredBuffer, RefusesAnOverlapInAnyOfTheFourWaysAndNamesBothRanges) {
  std::vector<int> users(100);
  const std::span<int> all(users);
  const registered_buffer<int> first(where, all.subspan(40, 20));
  const auto registered = range(users.data() + 40, 20 * sizeof(int));
  const struct {
    const char* way;
    std::size_t begin, count;
  } overlaps[] = {{"from below", 30, 11},
                  {"from above", 59, 11},
                  {"inside", 45, 5},
                  {"around", 10, 80},
                  {"the same", 40, 20}};
  for (const auto& [way, begin, count] : overlaps) {
    SCOPED_TRACE(way);
    const auto span = all.subspan(begin, count);
    expect_error(fault::already_registered,
                 {range(span.data(), span.size_bytes()), "overlaps", registered, "union"},
                 [&] { (void)registered_buffer<int>(where, span); });
    expect_untouched(1);
  }
  EXPECT_NO_THROW((void)registered_buffer<int>(where, all.first(40)));
  EXPECT_NO_THROW((void)registered_buffer<int>(where, all.subspan(60)));
}

TEST_F(RegisteredBuffer, MayBeRegisteredAgainOnceItEnded) {
  std::vector<int> users(10);
  for (int i = 0; i < 3; ++i) {
    const registered_buffer<int> buffer(where, users);
    EXPECT_EQ(driver->live().registrations, 1U);
  }
}

TEST_F(RegisteredBuffer, IsFoundByAnyAddressInsideAmongManyOthers) {
  constexpr std::size_t count = 2000;
  std::vector<char> users(count * 10);
  std::vector<registered_buffer<char>> all;
  for (std::size_t i = 0; i < count; ++i) {
    all.emplace_back(where, std::span(users).subspan(i * 10, 7));
  }
  EXPECT_EQ(driver->live().registrations, count);
  for (std::size_t i = 0; i < users.size(); ++i) {
    const auto found = registered_range(&users[i]);
    ASSERT_EQ(found.size(), i % 10 < 7 ? 7U : 0U) << i;
    if (!found.empty()) {
      ASSERT_EQ(found.data(), reinterpret_cast<const std::byte*>(&users[i / 10 * 10]));
    }
  }
  std::ranges::reverse(all);  // ended in another order than they began
  all.erase(all.begin(), all.begin() + count / 2);
  EXPECT_TRUE(registered_range(&users[(count - 1) * 10]).empty());
  EXPECT_FALSE(registered_range(users.data()).empty());
  all.clear();
  EXPECT_TRUE(registered_range(users.data()).empty());
  expect_untouched();
}

TEST_F(RegisteredBuffer, MaySayThatItsMemoryIsGone) {
  test::pages memory(4);
  const std::span<std::byte> all(memory.data(), memory.bytes());
  const registered_buffer<std::byte> freed(where, all);
  memory.unmap(1, 1);
  expect_error(fault::already_registered, {"freed while it was registered"},
               [&] { (void)registered_buffer<std::byte>(where, all.first(10)); });
}

TEST_F(RegisteredBuffer, SharesARegistrationWhenAllSaySo) {
  std::vector<int> users(1000, 1);
  const std::span<int> all(users);
  const registered_options counted{.again = repeated::counted};
  std::vector<registered_buffer<int>> buffers;
  buffers.emplace_back(where, all, counted);
  const auto pinned = pin_budget::process().in_use();
  buffers.emplace_back(where, all, counted);
  buffers.emplace_back(where, all.subspan(10, 5), counted);
  EXPECT_EQ(driver->live().registrations, 1U);
  EXPECT_EQ(pin_budget::process().in_use(), pinned) << "counted once";
  EXPECT_EQ(buffers[2].device().data(), users.data() + 10);
  expect_error(fault::already_registered, {"overlaps"},
               [&] { (void)registered_buffer<int>(where, all); });
  buffers.erase(buffers.begin());  // the one that registered
  EXPECT_EQ(driver->live().registrations, 1U);
  const stream work(where);
  buffers[1].to_device(work);
  test::add(work, buffers[1].device(), 4);
  buffers[1].to_host(work);
  work.wait(10s);
  EXPECT_EQ(users[14], 5);
  buffers.clear();
  expect_untouched();
  const registered_buffer<int> again(where, all.first(3), counted);
  EXPECT_EQ(driver->live().registrations, 1U);
}

TEST_F(RegisteredBuffer, SharesNeitherMoreThanIsRegisteredNorWhatIsNotToBeShared) {
  std::vector<int> users(1000);
  const std::span<int> all(users);
  const registered_options counted{.again = repeated::counted};
  {
    const registered_buffer<int> part(where, all.subspan(100, 100), counted);
    for (const auto& wider : {all, all.subspan(50, 100), all.subspan(150, 100)}) {
      expect_error(fault::already_registered, {"overlaps"},
                   [&] { (void)registered_buffer<int>(where, wider, counted); });
    }
    expect_error(fault::already_registered, {"overlaps"}, [&] {
      (void)registered_buffer<int>(device::cpu(), all.subspan(110, 5), counted);
    });
  }
  const registered_buffer<int> alone(where, all);
  expect_error(fault::already_registered, {"overlaps"},
               [&] { (void)registered_buffer<int>(where, all, counted); });
}

TEST_F(RegisteredBuffer, RefusesNullWithALength) {
  expect_error(fault::invalid_argument, {"register", "null"}, [&] {
    (void)registered_buffer<int>(where, std::span<int>(static_cast<int*>(nullptr), 5));
  });
  expect_untouched();
}

TEST_F(RegisteredBuffer, RefusesARangeThatWrapsAround) {
  auto* const last = reinterpret_cast<char*>(UINTPTR_MAX - 10);
  expect_error(fault::invalid_argument, {"wraps around"},
               [&] { (void)registered_buffer<char>(where, std::span(last, 100)); });
  expect_untouched();
}

TEST_F(RegisteredBuffer, RefusesPagesThatCannotBeWrittenEachInItsOwnWords) {
  test::pages memory(4);
  const std::size_t page = platform::page_size();
  const std::span<std::byte> all(memory.data(), memory.bytes());
  const auto refuse = [&](std::size_t pages, std::string_view why) {
    expect_error(fault::invalid_argument, {range(memory.data(), pages * page), why},
                 [&] { (void)registered_buffer<std::byte>(where, all.first(pages * page)); });
    expect_untouched();
  };
  memory.protect(1, 1, test::protection::read_only);
  refuse(2, "may only be read");
  memory.protect(2, 1, test::protection::none);
  refuse(3, "neither read nor written");
  memory.unmap(3, 1);
  refuse(4, "no memory of this process");
  EXPECT_NO_THROW((void)registered_buffer<std::byte>(where, all.first(page)));
}

TEST_F(RegisteredBuffer, RefusesDeviceMemory) {
  void* memory = nullptr;
  ASSERT_TRUE(driver->allocate_device(4096, &memory).ok());
  const std::span<char> bytes(static_cast<char*>(memory), 4096);
  expect_error(fault::invalid_argument, {"device memory"},
               [&] { (void)registered_buffer<char>(where, bytes); });
  expect_error(fault::invalid_argument, {"device memory"},
               [&] { (void)registered_buffer<char>(where, bytes.subspan(100, 8)); });
  expect_untouched();
  EXPECT_TRUE(driver->free_device(memory).ok());
}

TEST_F(RegisteredBuffer, RefusesWhatAnotherLibraryRegisteredAndPointsToPinnedView) {
  std::vector<int> users(100);
  void* unused = nullptr;
  ASSERT_TRUE(driver->register_host(users.data() + 50, 40, &unused).ok());
  for (const std::size_t first : {30UL, 45UL, 50UL}) {  // around, from below, the same
    expect_error(fault::already_registered, {"another library", "pinned_view"}, [&] {
      (void)registered_buffer<int>(where, std::span(users).subspan(first, first == 30 ? 60 : 10));
    });
    expect_untouched(1);
  }
  EXPECT_TRUE(driver->unregister_host(users.data() + 50).ok());
}

TEST_F(RegisteredBuffer, RefusesPinnedAllocations) {
  void* host = nullptr;
  void* on_device = nullptr;
  ASSERT_TRUE(driver->allocate_host(4096, {}, &host, &on_device).ok());
  expect_error(fault::already_registered, {"pinned already", "pinned_view"}, [&] {
    (void)registered_buffer<char>(where, std::span(static_cast<char*>(host), 4096));
  });
  expect_untouched();
  EXPECT_TRUE(driver->free_host(host).ok());
}

TEST_F(RegisteredBuffer, RefusesWhatIsOverTheBudget) {
  std::vector<char> users(100'000);
  pin_budget::process().set_limit(pinned_before + 50'000);
  expect_error(fault::over_budget, {"register", range(users.data(), users.size()), "set_limit"},
               [&] { (void)registered_buffer<char>(where, users); });
  expect_untouched();
  pin_budget::process().clear_limit();
  EXPECT_NO_THROW((void)registered_buffer<char>(where, users));
}

}  // namespace
}  // namespace pinhole
