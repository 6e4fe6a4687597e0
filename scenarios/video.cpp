// Frames of a camera are converted by the CPU and searched by the GPU: how long after a frame was
// there does the host know what is in it?
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "pinhole/core/error.hpp"
#include "pinhole/core/units.hpp"
#include "pinhole/memory/any_buffer.hpp"
#include "pinhole/memory/copy.hpp"
#include "pinhole/memory/mapped_buffer.hpp"
#include "pinhole/memory/staged_buffer.hpp"
#include "scenarios/arms.hpp"
#include "scenarios/asked_number.hpp"
#include "scenarios/catalog.hpp"
#include "scenarios/detect.hpp"
#include "scenarios/frame_arm.hpp"
#include "scenarios/sizes.hpp"

namespace pinhole::scenarios {

namespace {

constexpr std::uint64_t most_fps = 1000;
constexpr std::uint64_t most_frames = 100'000;

// ---- arms ------------------------------------------------------------------------------------

/// The classic path: the converted frame is copied into pinned memory, copied to the device, and
/// the boxes are copied back.
class classic_arm final : public frame_arm {
 public:
  classic_arm(const device& where, const shared_video_job& job)
      : frame_arm("classic copy", role::naive_copy, job),
        where_(where),
        find_(where, job->background),
        converted_(frame_bytes),
        frame_(where, frame_bytes),
        found_(where, colours, {.host = host_memory::pageable}),
        work_(where) {}

 private:
  void process(std::span<const std::uint8_t> raw, std::span<box> found) override {
    convert(raw, converted_);
    std::ranges::copy(converted_, frame_.host().begin());
    send_to_device(where_, frame_.device(), frame_.host());
    find_.find(work_, frame_.device(), found_.device());
    work_.before_copy();
    copy_to_host(where_, found, found_.device());
  }

  device where_;
  detector find_;
  std::vector<std::uint8_t> converted_;
  staged_buffer<std::uint8_t> frame_;
  staged_buffer<box> found_;
  default_stream work_;
};

/// The expert's copy: the conversion writes straight into pinned memory, the upper band is on its
/// way while the lower one is converted, and the host waits once.
class overlapping_arm final : public frame_arm {
 public:
  overlapping_arm(const device& where, const shared_video_job& job)
      : frame_arm("expert copy", role::expert_copy, job),
        find_(where, job->background),
        work_(where),
        frame_(where, frame_bytes),
        found_(where, colours) {}

  [[nodiscard]] std::optional<placement> placed() const override { return frame_.placed(); }

 private:
  void process(std::span<const std::uint8_t> raw, std::span<box> found) override {
    for (unsigned band = 0; band < bands; ++band) {
      convert_band(raw, band, frame_.host());
      frame_.to_device(work_, band * band_bytes, band_bytes);
    }
    find_.find(work_, frame_.device(), found_.device());
    found_.to_host(work_);
    work_.wait(patience);
    std::ranges::copy(found_.host(), found.begin());
  }

  detector find_;
  stream work_;  // outlives the buffers that are handed over on it
  staged_buffer<std::uint8_t> frame_;
  staged_buffer<box> found_;
};

/// The conversion writes where the kernel reads. The boxes are copied back, or mapped like the
/// frame.
class placed_arm final : public frame_arm {
 public:
  placed_arm(const device& where, const shared_video_job& job, placement how, placement result)
      : frame_arm(
            std::string(to_string(how)) + (result == placement::staged ? ", result copied" : ""),
            role::in_place, job),
        find_(where, job->background),
        work_(where),
        frame_(make_buffer<std::uint8_t>(where, frame_bytes, how)),
        found_(make_buffer<box>(where, colours, result)) {}

  [[nodiscard]] std::optional<placement> placed() const override { return frame_.placed(); }

 private:
  void process(std::span<const std::uint8_t> raw, std::span<box> found) override {
    convert(raw, frame_.host());
    frame_.to_device(work_);
    find_.find(work_, frame_.device(), found_.device());
    found_.to_host(work_);
    work_.wait(patience);  // the frame was only read, so the host has it back as it was
    std::ranges::copy(found_.host(), found.begin());
  }

  detector find_;
  stream work_;  // outlives the buffers that are handed over on it
  any_buffer<std::uint8_t> frame_;
  any_buffer<box> found_;
};

// ---- trials ----------------------------------------------------------------------------------

/// One way of running the camera.
struct pace {
  std::optional<std::uint64_t> fps;
  unsigned frames = 0;

  [[nodiscard]] std::string text() const {
    return std::to_string(frames) + " frames " +
           (fps ? "at " + std::to_string(*fps) + " fps" : std::string("flat out"));
  }
};

std::vector<std::unique_ptr<arm>> arms_for(const settings& asked, const shared_video_job& job) {
  std::vector<std::unique_ptr<arm>> arms;
  arms.push_back(std::make_unique<classic_arm>(asked.where, job));
  arms.push_back(std::make_unique<overlapping_arm>(asked.where, job));
#if !defined(PINHOLE_CPU_ONLY)
  if (asked.where.kind() == device_kind::cuda) {
    arms.push_back(graph_arm(asked.where, job));
  }
#endif
  if (asked.wants(placement::mapped)) {
    arms.push_back(
        std::make_unique<placed_arm>(asked.where, job, placement::mapped, placement::staged));
  }
  for (const placement how : placements_anywhere(asked)) {
    arms.push_back(std::make_unique<placed_arm>(asked.where, job, how, placement::mapped));
  }
  return arms;
}

std::unique_ptr<trial> make_trial(const settings& asked, const pace& camera_pace) {
  auto made = std::make_unique<trial>();
  // A frame for each arm, and its boxes in a page.
  const auto arms = pinned_among(placements_anywhere(asked)) + 4;
  if (fit_to_budget(frame_bytes + 4_KiB, arms, made->notes) < frame_bytes + 4_KiB) {
    throw error({.kind = fault::over_budget,
                 .asked = "show a video of " + format_bytes(frame_bytes) + " a frame",
                 .call = {},
                 .status = "it takes " + std::to_string(arms) + " pinned frames",
                 .remedy = "raise the pin budget with --pin-limit",
                 .sticky = false,
                 .survives = {}});
  }
  const auto job = std::make_shared<video_job>(asked.seed);
  job->frames = camera_pace.frames;
  job->fps = camera_pace.fps;
  made->label = camera_pace.text();
  made->unit = "frame";
  if (camera_pace.fps) {
    made->most_repeats = 1;  // every frame is a sample
    made->checks_each_run = true;
  }
  made->notes.push_back(
      "times are of one frame of 640x480 YUYV, from camera memory to boxes; "
      "converted to YUV 4:2:0 by " +
      job->convert->name());
  if (asked.where.kind() == device_kind::cpu) {
    made->notes.emplace_back("the expert's CUDA graph needs a GPU");
  }
  if (asked.size) {
    made->notes.push_back("--size says nothing here: a frame has " + format_bytes(raw_frame_bytes));
  }
  made->arms = arms_for(asked, job);
  return made;
}

/// Flat out, and with --full at 60 fps too, unless --fps says otherwise.
std::vector<pace> usual_paces(const settings& asked) {
  const bool on_cpu = asked.where.kind() == device_kind::cpu;
  const auto frames = static_cast<unsigned>(asked_number("--frames", asked.frames,
                                                         asked.full ? 300
                                                         : on_cpu   ? 20
                                                                    : 100,
                                                         1, most_frames));
  const std::uint64_t fps = asked_number("--fps", asked.fps, 60, 1, most_fps);
  std::vector<pace> paces;
  if (!asked.fps) {
    paces.push_back({.fps = {}, .frames = frames});
  }
  if (asked.fps || asked.full) {
    paces.push_back({.fps = fps, .frames = frames});
  }
  return paces;
}

class video_scenario final : public scenario {
 public:
  [[nodiscard]] std::string_view name() const override { return "video"; }
  [[nodiscard]] std::string_view summary() const override {
    return "frames of a camera are converted by the CPU and searched for shapes by the GPU";
  }

  [[nodiscard]] std::vector<planned_trial> plan(const settings& asked) const override {
    (void)asked_size(asked, name(), 1);
    (void)placements_anywhere(asked);
    std::vector<planned_trial> trials;
    for (const pace& one : usual_paces(asked)) {
      trials.push_back({one.text(), [=] { return make_trial(asked, one); }});
    }
    return trials;
  }
};

}  // namespace

const scenario& video() {
  static const video_scenario only;
  return only;
}

}  // namespace pinhole::scenarios
