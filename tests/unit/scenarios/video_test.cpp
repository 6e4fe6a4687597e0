// What the camera shows against what can be seen in its raw bytes, each step of the way to the
// boxes, and the scenario as a whole.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>
#include <vector>

#include "pinhole/memory/mapped_buffer.hpp"
#include "scenarios/detect.hpp"
#include "scenarios/frame_arm.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/unit/scenarios/lazy_backend.hpp"
#include "tests/unit/scenarios/trials.hpp"

namespace pinhole::scenarios {
namespace {

using namespace std::chrono_literals;
using pinhole::test::expect_error;
using pinhole::test::lazy_backend;

std::vector<std::uint8_t> converted(std::span<const std::uint8_t> raw, converter& by) {
  std::vector<std::uint8_t> frame(frame_bytes);
  for (unsigned band = 0; band < bands; ++band) {
    by.convert(raw, band, std::span(frame).subspan(band * band_bytes, band_bytes));
  }
  return frame;
}

/// Shapes by another way: bright pixels of the raw frame, told apart by the part of the picture.
boxes bright_pixels(std::span<const std::uint8_t> raw) {
  boxes found = no_boxes();
  for (unsigned y = 0; y < frame_height; ++y) {
    for (unsigned x = 0; x < frame_width; ++x) {
      if (raw[(y * frame_width + x) * 2] > 135) {
        found[y / 240 * 3 + std::min(x / 213, 2U)].add(x, y);
      }
    }
  }
  return found;
}

void expect_equal(const boxes& a, const boxes& b, unsigned frame) {
  for (unsigned colour = 0; colour < colours; ++colour) {
    EXPECT_EQ(a[colour], b[colour]) << "colour " << colour << " of frame " << frame;
  }
}

TEST(Camera, ShowsTheShapesThatItSaysItShows) {
  camera source(1);
  for (unsigned frame = 0; frame < 50; ++frame) {
    const auto seen = bright_pixels(source.take(frame));
    expect_equal(seen, source.shapes_in(frame), frame);
    for (const box& one : seen) {
      EXPECT_GT(one.pixels, 200U);
    }
  }
}

TEST(Camera, MovesItsShapes) {
  const camera source(1);
  EXPECT_NE(source.shapes_in(0), source.shapes_in(1));
  EXPECT_NE(source.shapes_in(0), camera(2).shapes_in(0));
}

TEST(Camera, LeavesNothingOfOldFramesBehind) {
  camera used(3);
  for (const unsigned frame : {7U, 1'000'003U, 11U}) {  // the same place in the ring
    camera fresh(3);
    const auto expected = fresh.take(frame);
    EXPECT_TRUE(std::ranges::equal(used.take(frame), expected)) << frame;
  }
}

TEST(Conversion, TakesBrightnessAndTheMeanColourOfTwoRows) {
  camera source(5);
  const auto raw = source.take(9);
  const auto frame = converted(raw, *make_own_converter());
  for (unsigned y = 0; y < frame_height; ++y) {
    const std::size_t band = y / 240 * std::size_t{640 * 240 * 3 / 2};
    for (unsigned x = 0; x < frame_width; ++x) {
      ASSERT_EQ(frame[band + y % 240 * 640 + x], raw[y * 1280 + x * 2]) << x << "," << y;
      const auto mean = [&](unsigned offset) {
        const auto at = [&](unsigned row) { return raw[row * 1280 + x / 2 * 4 + offset]; };
        return std::lround((at(y / 2 * 2) + at(y / 2 * 2 + 1)) / 2.0);
      };
      const std::size_t chroma = band + 640 * 240 + y % 240 / 2 * 320 + x / 2;
      ASSERT_EQ(frame[chroma], mean(1)) << "U at " << x << "," << y;
      ASSERT_EQ(frame[chroma + 320 * 120], mean(3)) << "V at " << x << "," << y;
    }
  }
}

TEST(Conversion, IsTheSameByLibswscale) {
#if defined(PINHOLE_SWSCALE)
  camera source(5);
  const auto raw = source.take(9);
  const auto ours = converted(raw, *make_own_converter());
  const auto theirs = converted(raw, *make_swscale_converter());
  for (std::size_t i = 0; i < frame_bytes; ++i) {
    ASSERT_LE(std::abs(ours[i] - theirs[i]), 1) << "byte " << i;  // they may round down
  }
  EXPECT_EQ(make_converter()->name().substr(0, 12), "libswscale 6");
#else
  GTEST_SKIP() << "waived: built without libswscale (Debian: libswscale-dev)";
#endif
}

struct Detection : ::testing::Test {
  explicit Detection(const device& on = device::all().front()) : where(on) {}
  boxes find(std::span<const std::uint8_t> frame) {
    std::ranges::copy(frame, frame_.host().begin());
    std::ranges::fill(found_.host(), box{1, 2, 3, 4, 5});
    finder_.find(work_, frame_.device(), found_.device());
    found_.to_host(work_);
    work_.wait(10s);
    boxes result{};
    std::ranges::copy(found_.host(), result.begin());
    return result;
  }

  device where;  // the GPU where there is one; arms run on all devices below
  camera source{8};
  std::unique_ptr<converter> convert = make_converter();
  std::vector<std::uint8_t> background = converted(source.background(), *convert);

 private:
  stream work_{where};
  detector finder_{where, background};
  mapped_buffer<std::uint8_t> frame_{where, frame_bytes};
  mapped_buffer<box> found_{where, colours};
};

TEST_F(Detection, FindsWhatIsInEachFrame) {
  for (unsigned frame = 0; frame < 50; ++frame) {
    expect_equal(find(converted(source.take(frame), *convert)), source.shapes_in(frame), frame);
  }
}

TEST_F(Detection, FindsNothingInTheBackground) {
  expect_equal(find(background), no_boxes(), 0);
}

TEST_F(Detection, FindsSinglePixelsInTheCorners) {
  auto frame = background;
  frame[0] = 255;
  frame[luma_bytes] = 128 + 96;
  frame[frame_bytes - 2 * chroma_bytes - 1] = 255;
  frame[frame_bytes - chroma_bytes - 1] = 128 - 96;
  auto expected = no_boxes();
  expected[0] = {0, 0, 0, 0, 1};
  expected[3] = {639, 479, 639, 479, 1};
  expect_equal(find(frame), expected, 0);
}

TEST_F(Detection, RefusesWhatIsNoFrame) {
  const stream work(where);
  detector finder(where, background);
  const mapped_buffer<std::uint8_t> frame(where, frame_bytes + 1);
  const mapped_buffer<box> found(where, colours);
  expect_error(fault::invalid_argument, {"detect shapes", "not a whole frame"},
               [&] { finder.find(work, frame.device(), found.device()); });
  expect_error(fault::invalid_argument, {"detect shapes", "multiple of 16 bytes"},
               [&] { finder.find(work, frame.device().subview(1, frame_bytes), found.device()); });
  expect_error(fault::invalid_argument, {"the background is not a whole frame"},
               [&] { const detector bad(where, std::span(background).first(10)); });
}

/// Knows the boxes, and takes its time.
class slow_arm : public frame_arm {
 public:
  slow_arm(const shared_video_job& job, std::chrono::milliseconds time)
      : frame_arm("slow", role::naive_copy, job), time_(time) {}
  unsigned wrong_frame = ~0U;

 private:
  void process(std::span<const std::uint8_t> raw, std::span<box> found) override {
    std::this_thread::sleep_for(time_);
    std::ranges::copy(bright_pixels(raw), found.begin());
    if (calls_++ == wrong_frame) {
      ++found[4].right;
    }
  }
  std::chrono::milliseconds time_;
  unsigned calls_ = 0;
};

shared_video_job job_of(unsigned frames, std::optional<std::uint64_t> fps) {
  auto job = std::make_shared<video_job>(1);
  job->frames = frames;
  job->fps = fps;
  return job;
}

TEST(FrameArm, DropsFramesThatTheCameraHasOverwritten) {
  slow_arm slow(job_of(20, 500), 11ms);  // 20 frames in 40 ms, each good for 8 ms
  slow.prepare();
  slow.run();
  const double drops = slow.metrics().at(0).value;
  EXPECT_GE(drops, 5);
  EXPECT_EQ(slow.own_times_us()->size(), 20 - static_cast<std::size_t>(drops));
  EXPECT_EQ(slow.check(), std::nullopt);
}

TEST(FrameArm, TimesFramesFromWhenTheyWereDue) {
  slow_arm slow(job_of(3, 10), 130ms);  // each frame is 30 ms later than the one before
  slow.prepare();
  slow.run();
  const auto times = *slow.own_times_us();
  ASSERT_EQ(times.size(), 3U);
  EXPECT_GE(times[2], 190'000);
}

TEST(FrameArm, DropsNothingFlatOut) {
  slow_arm slow(job_of(6, {}), 1ms);
  slow.prepare();
  slow.run();
  EXPECT_EQ(slow.metrics().at(0).value, 0);
  EXPECT_EQ(slow.own_times_us()->size(), 6U);
}

TEST(FrameArm, NamesTheShapeThatIsWrong) {
  slow_arm slow(job_of(3, {}), 0ms);
  slow.wrong_frame = 2;
  slow.prepare();
  slow.run();
  const auto difference = slow.check();
  ASSERT_TRUE(difference.has_value());
  EXPECT_NE(difference->find("the green shape of frame 2: expected "), std::string::npos)
      << *difference;
  slow.prepare();
  EXPECT_EQ(slow.check(), "frames: expected 3, got 0");
}

settings small(const device& where = device::cpu()) {
  auto asked = test::settings_for(where);
  asked.frames = 3;
  return asked;
}

TEST(Video, EveryArmFindsTheShapes) {
  for (const device& where : test::all_devices()) {
    SCOPED_TRACE(where.id());
    const auto results = test::run_all("video", small(where));
    ASSERT_EQ(results.size(), 1U);
    test::expect_all_arms(results[0], where);
    EXPECT_EQ(results[0].naive_opponent, "classic copy");
    for (const auto& one : results[0].arms) {
      EXPECT_EQ(one.samples_us.size(), 3U) << one.name << ": a sample for each frame";
    }
  }
}

TEST(Video, RunsAtTheRateThatWasAskedFor) {
  auto asked = small();
  asked.fps = 100;
  const auto start = std::chrono::steady_clock::now();
  const auto results = test::run_all("video", asked);
  // Each arm is shown the frames once.
  EXPECT_GE(std::chrono::steady_clock::now() - start, 5 * 20ms) << "5 arms or more, 2 periods";
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].label, "3 frames at 100 fps");
}

TEST(Video, NamesWhatIsWrong) {
  const auto lazy = std::make_shared<lazy_backend>(platform::make_cpu({}));
  auto asked = small();
  asked.where = platform::make_device(lazy, "lazy", "lazy");
  asked.seed = 77;  // what earlier tests left in memory is wrong too
  const auto found = wrong_arms("video", asked, *lazy, &lazy_backend::skips_kernels);
  EXPECT_EQ(found.size(), test::placements_of(asked) + 3) << "all arms";
  for (const auto& one : found) {
    EXPECT_NE(one.difference.find("shape of frame 0: expected "), std::string::npos)
        << one.arm << ": " << one.difference;
  }
}

TEST(Video, RefusesRatesAndFramesThatAreNone) {
  auto asked = small();
  for (const std::uint64_t fps : {0U, 1001U, 1'000'000'000U}) {
    asked.fps = fps;
    expect_error(fault::invalid_argument, {"--fps " + std::to_string(fps), "1 to 1000"},
                 [&] { (void)find("video")->plan(asked); });
  }
  asked.fps.reset();
  for (const std::uint64_t frames : {0U, 100'001U}) {
    asked.frames = frames;
    expect_error(fault::invalid_argument, {"--frames", "1 to 100000"},
                 [&] { (void)find("video")->plan(asked); });
  }
}

}  // namespace
}  // namespace pinhole::scenarios
