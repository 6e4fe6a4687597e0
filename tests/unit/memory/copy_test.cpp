// Explicit, blocking copies.
#include "pinhole/memory/copy.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "pinhole/memory/staged_buffer.hpp"
#include "platform/platform.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/faulty_backend.hpp"

namespace pinhole {
namespace {

using test::expect_error;

TEST(Copy, CarriesPageableMemoryThereAndBack) {
  const auto where = device::cpu();
  staged_buffer<int> buffer(where, 5);
  const std::vector<int> out = {1, 2, 3, 4, 5};
  std::array<int, 5> back{};
  copy_to_device(where, buffer.device(), std::span<const int>(out));
  copy_to_host(where, std::span<int>(back), buffer.device());
  EXPECT_TRUE(std::equal(out.begin(), out.end(), back.begin()));
  copy_to_host(where, std::span<int>(back).first(2), buffer.device().subview(3, 2));
  EXPECT_EQ(back[0], 4);
  EXPECT_EQ(back[1], 5);
  const std::vector<int> sent = {6, 7, 8, 9, 10};
  send_to_device(where, buffer.device(), std::span<const int>(sent));
  copy_to_host(where, std::span<int>(back), buffer.device());
  EXPECT_TRUE(std::equal(sent.begin(), sent.end(), back.begin()));
}

TEST(Copy, RefusesSidesOfDifferentSizes) {
  const auto where = device::cpu();
  staged_buffer<int> buffer(where, 5);
  std::array<int, 4> four{};
  expect_error(fault::invalid_argument, {"copy to the device", "different sizes"},
               [&] { copy_to_device(where, buffer.device(), std::span<const int>(four)); });
  expect_error(fault::invalid_argument, {"send to the device", "different sizes"},
               [&] { send_to_device(where, buffer.device(), std::span<const int>(four)); });
  expect_error(fault::invalid_argument, {"copy to the host", "different sizes"},
               [&] { copy_to_host(where, std::span<int>(four), buffer.device()); });
}

TEST(Copy, OfNothingMakesNoCall) {
  const auto driver = std::make_shared<test::faulty_backend>(platform::make_cpu({}));
  const auto where = platform::make_device(driver, "cpu", "double");
  copy_to_device(where, view<int>(), std::span<const int>());
  send_to_device(where, view<int>(), std::span<const int>());
  copy_to_host(where, std::span<int>(), view<const int>());
  EXPECT_EQ(driver->calls(), 0U);
}

TEST(Copy, NamesTheSizeAndTheDeviceWhenTheDriverFails) {
  const auto driver = std::make_shared<test::faulty_backend>(platform::make_cpu({}));
  const auto where = platform::make_device(driver, "cpu", "double");
  std::array<int, 512> data{};
  driver->fail_every(test::primitive::copy_now, platform::outcome::failed);
  expect_error(fault::call_failed, {"copy 2 KiB on cpu", "copy_now"}, [&] {
    copy_to_host(where, std::span<int>(data), view<const int>(data.data(), data.size()));
  });
  EXPECT_FALSE(driver->last_error_is_set());
}

}  // namespace
}  // namespace pinhole
