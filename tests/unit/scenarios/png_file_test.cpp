// Pictures written as PNG files, read back.
#include "scenarios/png_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "pinhole/core/error.hpp"
#include "tests/unit/scenarios/trials.hpp"

#if defined(PINHOLE_PNG)
#include <png.h>
#endif

namespace pinhole::scenarios {
namespace {

#if defined(PINHOLE_PNG)

struct png_picture {
  picture_size size;
  std::vector<rgba> pixels;
};

png_picture read_png(const std::string& path) {
  std::ifstream from(path, std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(from), {}};
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_memory(&image, file.data(), file.size()), 0) << image.message;
  image.format = PNG_FORMAT_RGBA;
  png_picture result{.size = {.width = image.width, .height = image.height},
                     .pixels = std::vector<rgba>(std::size_t{image.width} * image.height)};
  EXPECT_NE(png_image_finish_read(&image, nullptr, result.pixels.data(), 0, nullptr), 0)
      << image.message;
  return result;
}

struct PngFile : ::testing::Test {
  std::string path = ::testing::TempDir() + "pinhole-picture.png";
  void TearDown() override { std::filesystem::remove(path); }
};

TEST_F(PngFile, HoldsEveryPixelRowByRow) {
  constexpr picture_size size = {.width = 3, .height = 2};
  const std::vector<rgba> pixels = {{1, 2, 3, 255}, {4, 5, 6, 255},     {7, 8, 9, 128},
                                    {0, 0, 0, 0},   {255, 255, 255, 1}, {10, 200, 30, 255}};
  write_png(path, size, pixels);
  const auto back = read_png(path);
  EXPECT_EQ(back.size.width, 3U);
  EXPECT_EQ(back.size.height, 2U);
  EXPECT_EQ(back.pixels, pixels);
}

TEST_F(PngFile, TheScenarioLeavesTheVerifiedPictureBehind) {
  auto asked = test::settings_for(device::cpu());
  asked.pixels = 20000;
  asked.png_file = path;
  (void)test::run_all("pixels", asked);
  const auto back = read_png(path);
  ASSERT_EQ(back.pixels.size(), std::size_t{1920} * 1080);
  const auto job = shading_job({.width = 1920, .height = 1080}, 20000, asked.seed);
  for (std::size_t i = 0; i < job->written().size(); ++i) {
    EXPECT_EQ(back.pixels[job->written()[i]], job->expected()[i]) << i;
  }
}

TEST_F(PngFile, AFolderIsRefusedBeforeAnyWork) {
  try {
    check_png(::testing::TempDir());
    FAIL() << "a folder is no file";
  } catch (const error& refused) {
    EXPECT_EQ(refused.kind(), fault::io);
    EXPECT_NE(std::string(refused.what()).find("--png"), std::string::npos) << refused.what();
  }
}

#else

TEST(PngFile, ABuildWithoutLibpngSaysSo) {
  try {
    check_png("picture.png");
    FAIL() << "there is no libpng";
  } catch (const error& refused) {
    EXPECT_EQ(refused.kind(), fault::not_supported);
    EXPECT_NE(std::string(refused.what()).find("libpng-dev"), std::string::npos);
  }
}

#endif

}  // namespace
}  // namespace pinhole::scenarios
