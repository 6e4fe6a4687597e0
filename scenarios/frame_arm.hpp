// What the arms of `video` have in common: frames that come in, and boxes that are wanted.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "scenarios/camera.hpp"
#include "scenarios/metronome.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/yuv.hpp"

namespace pinhole::scenarios {

/// What the arms of a trial share. They run one after the other, so one camera is enough.
struct video_job {
  explicit video_job(std::uint64_t seed);

  camera source;
  std::unique_ptr<converter> convert;
  std::vector<std::uint8_t> background;  ///< converted
  unsigned frames = 0;                   ///< of a run
  std::optional<std::uint64_t> fps;      ///< empty: flat out
};
using shared_video_job = std::shared_ptr<video_job>;

/// An arm that turns frames into boxes, one after the other. A frame's time runs from the moment at
/// which it is in camera memory, or was due to be, until the host has its boxes. A frame that the
/// camera has overwritten by then is dropped.
class frame_arm : public arm {
 public:
  frame_arm(std::string name, role stands_for, shared_video_job job);

  [[nodiscard]] std::string name() const final { return name_; }
  [[nodiscard]] role stands_for() const final { return role_; }
  void prepare() final;
  void run() final;
  [[nodiscard]] std::optional<std::string> check() final;
  [[nodiscard]] traffic moved() const final;
  [[nodiscard]] std::optional<std::vector<double>> own_times_us() final { return times_us_; }
  [[nodiscard]] std::vector<metric> metrics() const final;

 protected:
  /// From a raw frame in camera memory to boxes in host memory.
  virtual void process(std::span<const std::uint8_t> raw, std::span<box> found) = 0;
  /// Converts the whole frame into `frame`.
  void convert(std::span<const std::uint8_t> raw, std::span<std::uint8_t> frame);
  void convert_band(std::span<const std::uint8_t> raw, unsigned band,
                    std::span<std::uint8_t> frame);
  [[nodiscard]] const video_job& job() const noexcept { return *job_; }

 private:
  /// The first frames, unseen: a camera does not wait until a kernel is loaded.
  void rehearse();

  struct seen_frame {
    unsigned number;
    boxes found;
  };

  std::string name_;
  role role_;
  shared_video_job job_;
  metronome beat_;
  std::vector<seen_frame> seen_;
  std::vector<double> times_us_;
  unsigned drops_ = 0;
};

#if !defined(PINHOLE_CPU_ONLY)
/// The expert's copy as a CUDA graph: the second band's copy, the kernel and the result's copy are
/// launched as one.
[[nodiscard]] std::unique_ptr<frame_arm> graph_arm(const device& gpu, const shared_video_job& job);
#endif

}  // namespace pinhole::scenarios
