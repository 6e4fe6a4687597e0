// The smoothing against the textbook's formula, and the scenario as a whole.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "pinhole/memory/mapped_buffer.hpp"
#include "scenarios/smooth.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/unit/scenarios/lazy_backend.hpp"
#include "tests/unit/scenarios/trials.hpp"

namespace pinhole::scenarios {
namespace {

using namespace std::chrono_literals;
using pinhole::test::expect_error;
using pinhole::test::lazy_backend;

/// The convolution with the binomial kernel, pixel by pixel, in floating point.
pixel convolved(const std::vector<pixel>& image, int x, int y) {
  const int rows = static_cast<int>(image.size() / image_width);
  const int columns = static_cast<int>(image_width);
  constexpr double weights[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
  double sum = 0;
  for (int down = -1; down <= 1; ++down) {
    for (int across = -1; across <= 1; ++across) {
      const int from_x = std::min(std::max(x + across, 0), columns - 1);
      const int from_y = std::min(std::max(y + down, 0), rows - 1);
      sum += weights[down + 1][across + 1] / 16 *
             image[static_cast<std::size_t>(from_y * columns + from_x)];
    }
  }
  return static_cast<pixel>(std::floor(sum));
}

std::vector<pixel> speckled(std::size_t rows) {
  std::vector<pixel> image(rows * image_width);
  std::uint32_t state = 12345;
  for (auto& one : image) {
    state = state * 1664525U + 1013904223U;
    one = state >> 16U;
  }
  return image;
}

struct Smoothing : ::testing::TestWithParam<std::size_t> {
  /// On every device.
  static void expect_convolution(const device& where, const std::vector<pixel>& image);
  static void expect_windows_are_used(const device& where, const std::vector<pixel>& image);
};

void Smoothing::expect_convolution(const device& where, const std::vector<pixel>& image) {
  const stream work(where);
  mapped_buffer<pixel> from(where, image.size());
  mapped_buffer<pixel> to(where, image.size());
  from.write(0, image);
  smooth(work, {.pixels = from.device(), .window = {}}, {.pixels = to.device(), .window = {}});
  to.to_host(work);
  work.wait(10s);
  for (std::size_t i = 0; i < image.size(); ++i) {
    const int x = static_cast<int>(i % image_width);
    const int y = static_cast<int>(i / image_width);
    ASSERT_EQ(to.host()[i], convolved(image, x, y)) << "pixel " << x << " of row " << y;
  }
}

void Smoothing::expect_windows_are_used(const device& where, const std::vector<pixel>& image) {
  const stream work(where);
  const std::size_t first = image.size() / 3;
  const std::size_t count = image.size() / 2;
  mapped_buffer<pixel> from(where, image.size());
  mapped_buffer<pixel> to(where, image.size());
  mapped_buffer<pixel> from_window(where, count);
  mapped_buffer<pixel> to_window(where, count);
  from.write(0, image);
  from_window.write(0, std::span(image).subspan(first, count));
  std::ranges::fill(from.host().subspan(first, count), 0xDEADBEEF);  // must not be read
  std::ranges::fill(to.host(), 0xDEADBEEF);
  smooth(work, {.pixels = from.device(), .window = from_window.device(), .window_first = first},
         {.pixels = to.device(), .window = to_window.device(), .window_first = first});
  work.wait(10s);
  for (std::size_t i = 0; i < image.size(); ++i) {
    const bool in_window = i - first < count;
    const pixel expected =
        convolved(image, static_cast<int>(i % image_width), static_cast<int>(i / image_width));
    ASSERT_EQ(in_window ? to_window.host()[i - first] : to.host()[i], expected) << "pixel " << i;
    if (in_window) {
      ASSERT_EQ(to.host()[i], 0xDEADBEEF) << "pixel " << i << " was written outside its window";
    }
  }
}

TEST_P(Smoothing, IsTheConvolutionWithTheBinomialKernel) {
  for (const device& where : test::all_devices()) {
    SCOPED_TRACE(where.id());
    expect_convolution(where, speckled(GetParam()));
  }
}

TEST_P(Smoothing, FindsTheRegionInItsWindow) {
  for (const device& where : test::all_devices()) {
    SCOPED_TRACE(where.id());
    expect_windows_are_used(where, speckled(GetParam()));
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, Smoothing, ::testing::Values(1, 2, 3, 37, 200),
                         ::testing::PrintToStringParamName());

TEST(SmoothingOf, RefusesImagesOfDifferentSizes) {
  const auto cpu = device::cpu();
  const stream work(cpu);
  const mapped_buffer<pixel> one(cpu, image_width);
  const mapped_buffer<pixel> two(cpu, 2 * image_width);
  expect_error(fault::invalid_argument, {"smooth an image"}, [&] {
    smooth(work, {.pixels = one.device(), .window = {}}, {.pixels = two.device(), .window = {}});
  });
}

settings small(const device& where = device::cpu()) {
  auto asked = test::settings_for(where);
  asked.size = 3 * image_width * sizeof(pixel);
  return asked;
}

TEST(Alternate, EveryArmIsRightOnEveryDevice) {
  auto asked = small();
  asked.share = 33;
  test::expect_right_everywhere("alternate", asked, "total of the region in turn 0");
}

TEST(Alternate, MovesTheRegionAlone) {
  auto asked = small();
  const std::pair<double, std::uint64_t> bytes_of_share[] = {{1e-9, 4}, {0.1, 12}, {100, 12288}};
  for (const auto& [share, bytes] : bytes_of_share) {
    asked.share = share;
    const auto results = test::run_all("alternate", asked);
    ASSERT_EQ(results.size(), 1U);
    const auto& arms = results[0].arms;
    EXPECT_EQ(arms.front().moved.to_host, 100 * 12288U) << "the copy moves the whole image";
    EXPECT_EQ(arms[1].moved.to_host, 100 * bytes) << arms[1].name;
    EXPECT_EQ(arms.back().moved.to_host, 100 * bytes) << arms.back().name;
  }
}

TEST(Alternate, SaysWhoIsFasterAtWhichShare) {
  const auto asked = small();
  const auto results = test::run_all("alternate", asked);
  const auto lines = find("alternate")->conclude(results);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_NE(lines[0].find("0.1 %"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find("100 %"), std::string::npos) << lines[0];
}

TEST(Alternate, NamesWhatIsWrong) {
  const auto lazy = std::make_shared<lazy_backend>(platform::make_cpu({}));
  auto asked = small();
  asked.where = platform::make_device(lazy, "lazy", "lazy");
  asked.share = 50;
  asked.seed = 77;  // what earlier tests left in memory is wrong too
  const auto found = wrong_arms("alternate", asked, *lazy, &lazy_backend::skips_kernels);
  EXPECT_EQ(found.size(), test::placements_of(asked) + 3) << "all arms";
  for (const auto& one : found) {
    EXPECT_NE(one.difference.find("total of the region in turn"), std::string::npos)
        << one.arm << ": " << one.difference;
  }
}

TEST(Alternate, RefusesSharesThatAreNone) {
  auto asked = small();
  for (const double share : {0.0, -1.0, 100.001, 1e9, std::nan("")}) {
    asked.share = share;
    expect_error(fault::invalid_argument, {"--share", "at most 100 %"},
                 [&] { (void)find("alternate")->plan(asked); });
  }
  asked.share.reset();
  asked.size = 5000;
  expect_error(fault::invalid_argument, {"--size 5000", "alternate", "multiples of 4 KiB"},
               [&] { (void)find("alternate")->plan(asked); });
}

}  // namespace
}  // namespace pinhole::scenarios
