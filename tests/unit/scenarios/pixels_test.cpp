// The pixels: the kernel against a walk along each ray, the pictures, and the scenario as a whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <set>
#include <string>

#include "pinhole/memory/mapped_buffer.hpp"
#include "scenarios/shading.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/unit/scenarios/trials.hpp"

namespace pinhole::scenarios {
namespace {

using namespace std::chrono_literals;

constexpr picture_size small_picture = {.width = 48, .height = 27};

bool is_inside(const sphere& one, int x, int y, int z) {
  const long dx = x - one.x;
  const long dy = y - one.y;
  const long dz = z - one.z;
  return dx * dx + dy * dy + dz * dz <= long{one.radius} * one.radius;
}

/// Walks along the ray, point by point, until it is inside of something, and shades that with
/// lengths and angles.
std::array<double, 3> walked_along(const scene& seen, int x, int y) {
  for (int z = 0; z < 2000; ++z) {
    for (const sphere& one : seen.spheres) {
      if (!is_inside(one, x, y, z)) {
        continue;
      }
      const std::array<double, 3> normal = {double(x - one.x), double(y - one.y),
                                            double(z - one.z)};
      double towards = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        towards += normal[i] / one.radius * seen.light[i] / 1024;
      }
      const double brightness = 0.25 + 0.75 * std::max(0.0, towards);
      return {one.colour.red * brightness, one.colour.green * brightness,
              one.colour.blue * brightness};
    }
  }
  return {double(seen.sky.red), double(seen.sky.green), double(seen.sky.blue)};
}

TEST(Shading, ThePlainReferenceIsWhatAWalkAlongTheRayFinds) {
  const auto job = shading_job(small_picture, small_picture.pixels(), 1);
  std::set<std::array<int, 3>> colours;
  for (std::size_t i = 0; i < job->written().size(); ++i) {
    const int x = static_cast<int>(i % 48) * 1920 / 48;
    const int y = static_cast<int>(i / 48) * 1080 / 27;
    const auto expected = walked_along({}, x, y);
    const rgba got = job->expected()[i];
    // Both round down, in one place or in three.
    EXPECT_NEAR(got.red, expected[0], 2) << x << ", " << y;
    EXPECT_NEAR(got.green, expected[1], 2) << x << ", " << y;
    EXPECT_NEAR(got.blue, expected[2], 2) << x << ", " << y;
    EXPECT_EQ(got.opacity, 255);
    colours.insert({got.red, got.green, got.blue});
  }
  EXPECT_GT(colours.size(), 100U);  // spheres and sky, in light and in shade
}

TEST(Shading, TheKernelAgreesWithTheReferenceToTheLastBit) {
  const device where = device::cpu();
  stream work(where);
  constexpr picture_size odd_picture = {.width = 211, .height = 97};
  const auto job = shading_job(odd_picture, odd_picture.pixels(), 5);
  mapped_buffer<rgba> whole(where, odd_picture.pixels());
  mapped_buffer<rgba> list(where, odd_picture.pixels());
  whole.to_device(work);
  list.to_device(work);
  job->launch(work, {.whole = whole.device(), .list = {}});
  job->launch(work, {.whole = {}, .list = list.device()});
  whole.to_host(work);
  list.to_host(work);
  work.wait(10s);
  for (std::size_t i = 0; i < job->written().size(); ++i) {
    ASSERT_EQ(job->written()[i], i);
    EXPECT_EQ(whole.host()[i], job->expected()[i]) << i;
    EXPECT_EQ(list.host()[i], job->expected()[i]) << i;
  }
}

settings few_pixels(std::uint64_t count) {
  auto asked = test::settings_for(device::cpu());
  asked.pixels = count;
  return asked;
}

TEST(Pixels, InPlaceThePixelsAloneCrossBack) {
  const auto results = test::run_all("pixels", few_pixels(10));
  for (const auto& one : results.front().arms) {
    EXPECT_EQ(one.moved.to_host, one.stands_for == role::naive_copy ? 1920U * 1080 * 4 : 40U);
  }
}

TEST(Pixels, EveryArmIsRightAndAnIdleOneIsFoundOut) {
  test::expect_right_everywhere("pixels", few_pixels(10), "pixel (");
}

TEST(Pixels, RefusesNoPixelsAndMoreThanThereAre) {
  for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{1920 * 1080 + 1}}) {
    pinhole::test::expect_error(fault::invalid_argument,
                                {"--pixels " + std::to_string(count), "1 to 2073600"},
                                [&] { (void)find("pixels")->plan(few_pixels(count)); });
  }
}

}  // namespace
}  // namespace pinhole::scenarios
