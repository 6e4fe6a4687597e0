// What depends on the type of the element, or of the buffer.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <list>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

#include "pinhole/pinhole.hpp"
#include "tests/conformance/devices.hpp"
#include "tests/support/kernels.hpp"

namespace pinhole {

/// For GoogleTest.
static void PrintTo(placement how, std::ostream* out) {
  *out << to_string(how);
}

namespace test {
namespace {

using namespace std::chrono_literals;

struct alignas(64) cache_line {
  std::array<unsigned char, 64> bytes;
};
struct odd_size {
  std::array<unsigned char, 13> bytes;
};

template <class Buffer>
constexpr bool is_an_owner =
    shared_buffer<Buffer> && readable_buffer<Buffer> &&
    std::is_nothrow_move_constructible_v<Buffer> && !std::is_copy_constructible_v<Buffer> &&
    !std::is_copy_assignable_v<Buffer>;
static_assert(is_an_owner<staged_buffer<odd_size>> && is_an_owner<mapped_buffer<odd_size>> &&
              is_an_owner<registered_buffer<odd_size>> && is_an_owner<pinned_view<odd_size>> &&
              is_an_owner<any_buffer<odd_size>>);
static_assert(!shared_buffer<std::vector<int>> && !readable_buffer<view<int>>);
static_assert(std::is_trivially_copyable_v<decltype(std::declval<mapped_buffer<int>&>().device())>);

std::uintptr_t address(const void* of) {
  return reinterpret_cast<std::uintptr_t>(of);
}

/// Elements of any type travel as bytes, and both sides are aligned for them.
template <class Element>
void expect_placed_well(any_buffer<Element> buffer, const stream_ref& work) {
  EXPECT_EQ(address(buffer.host().data()) % alignof(Element), 0U);
  EXPECT_EQ(address(buffer.device().data()) % alignof(Element), 0U);
  for (auto& element : buffer.host()) {
    element.bytes.fill(0x0f);
  }
  buffer.to_device(work);
  flip(work,
       {reinterpret_cast<unsigned char*>(buffer.device().data()), buffer.size() * sizeof(Element)},
       0xff);
  buffer.to_host(work);
  work.wait(60s);
  for (const auto& element : buffer.host()) {
    for (const auto byte : element.bytes) {
      ASSERT_EQ(byte, 0xf0);
    }
  }
}

/// One test for each device; a program without devices waives them.
template <class Action>
void on_every_device(Action&& action) {
  const auto devices = devices_under_test();
  if (devices.empty()) {
    GTEST_SKIP() << "waived: " << device::why_no_gpu();
  }
  for (const auto& one : devices) {
    SCOPED_TRACE(one.name);
    action(platform::make_device(one.driver(), one.id, one.name));
  }
}

class TypedBuffers : public testing::TestWithParam<placement> {};

INSTANTIATE_TEST_SUITE_P(, TypedBuffers, testing::ValuesIn(all_placements()),
                         [](const auto& one) { return std::string(to_string(one.param)); });

TEST_P(TypedBuffers, PlaceElementsOfEverySizeAndAlignment) {
  on_every_device([](const device& where) {
    if (GetParam() == placement::vram && !vram_in_cpu_address_space(where)) {
      GTEST_SKIP() << "waived: " << vram_in_cpu_address_space(where).reason;
    }
    const stream work(where);
    expect_placed_well(make_buffer<cache_line>(where, 1, GetParam()), work);
    expect_placed_well(make_buffer<cache_line>(where, 33, GetParam()), work);
    expect_placed_well(make_buffer<odd_size>(where, 101, GetParam()), work);
  });
}

TEST(AnyBuffer, TakesOverATypedBufferWhichIsEmptyAfterwards) {
  on_every_device([](const device& where) {
    mapped_buffer<int> typed(where, 5);
    typed.host()[4] = 44;
    const any_buffer<int> any = std::move(typed);
    EXPECT_EQ(any.placed(), placement::mapped);
    EXPECT_EQ(any.host()[4], 44);
    EXPECT_EQ(typed.size(), 0U);
    EXPECT_THROW((void)typed.host(), error);
  });
}

}  // namespace
}  // namespace test
}  // namespace pinhole
