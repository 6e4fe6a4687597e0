// The expert's copy of `video` as a CUDA graph, by hand: launching three pieces of work costs what
// one does.
#include <cuda_runtime.h>

#include <algorithm>
#include <memory>

#include "pinhole/memory/staged_buffer.hpp"
#include "scenarios/arms.hpp"
#include "scenarios/cuda_graph.hpp"
#include "scenarios/detect.hpp"
#include "scenarios/frame_arm.hpp"

namespace pinhole::scenarios {

namespace {

class graph_frame_arm final : public frame_arm {
 public:
  graph_frame_arm(const device& gpu, const shared_video_job& job)
      : frame_arm("expert graph", role::expert_copy, job),
        find_(gpu, job->background),
        work_(gpu),
        frame_(gpu, frame_bytes),
        found_(gpu, colours),
        graph_(captured(work_.native(), [&] {
          copy_last_band();
          find_.find(work_, frame_.device(), found_.device());
          require(cudaMemcpyAsync(found_.host().data(), found_.device().data(), sizeof(boxes),
                                  cudaMemcpyDeviceToHost, work_.native()),
                  "cudaMemcpyAsync");
        })) {}

  [[nodiscard]] std::optional<placement> placed() const override { return frame_.placed(); }

 private:
  void process(std::span<const std::uint8_t> raw, std::span<box> found) override {
    for (unsigned band = 0; band + 1 < bands; ++band) {
      convert_band(raw, band, frame_.host());
      frame_.to_device(work_, band * band_bytes, band_bytes);
    }
    convert_band(raw, bands - 1, frame_.host());
    require(cudaGraphLaunch(graph_.get(), work_.native()), "cudaGraphLaunch");
    work_.wait(patience);
    std::ranges::copy(found_.host(), found.begin());
  }

  void copy_last_band() const {
    constexpr std::size_t first = (bands - 1) * band_bytes;
    require(cudaMemcpyAsync(frame_.device().data() + first, frame_.host().data() + first,
                            band_bytes, cudaMemcpyHostToDevice, work_.native()),
            "cudaMemcpyAsync");
  }

  detector find_;
  stream work_;  // outlives the buffers that are handed over on it
  staged_buffer<std::uint8_t> frame_;
  staged_buffer<box> found_;
  executable graph_;
};

}  // namespace

std::unique_ptr<frame_arm> graph_arm(const device& gpu, const shared_video_job& job) {
  return std::make_unique<graph_frame_arm>(gpu, job);
}

}  // namespace pinhole::scenarios
