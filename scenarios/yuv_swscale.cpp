// The conversion by FFmpeg's libswscale, as most programs with a camera do it.
extern "C" {
#include <libavutil/pixfmt.h>
#include <libswscale/swscale.h>
}

#include "pinhole/core/error.hpp"
#include "scenarios/yuv.hpp"

namespace pinhole::scenarios {

namespace {

struct free_context {
  void operator()(SwsContext* context) const noexcept { sws_freeContext(context); }
};

class swscale_converter final : public converter {
 public:
  swscale_converter()
      : context_(sws_getContext(frame_width, band_rows, AV_PIX_FMT_YUYV422, frame_width, band_rows,
                                AV_PIX_FMT_YUV420P, SWS_POINT, nullptr, nullptr, nullptr)) {
    if (!context_) {
      throw error({.kind = fault::call_failed,
                   .asked = "convert frames from YUYV to YUV 4:2:0",
                   .call = "sws_getContext",
                   .status = "no context",
                   .remedy = "build with -DPINHOLE_SWSCALE=OFF",
                   .sticky = false,
                   .survives = {}});
    }
  }

  void convert(std::span<const std::uint8_t> raw, unsigned which,
               std::span<std::uint8_t> band) override {
    // The library reads four planes, whatever the format has.
    const std::uint8_t* const from[4] = {raw.data() + which * band_rows * raw_row_bytes};
    const int from_stride[4] = {static_cast<int>(raw_row_bytes)};
    std::uint8_t* const into[4] = {band.data(), band.data() + luma_bytes,
                                   band.data() + luma_bytes + chroma_bytes};
    const int into_stride[4] = {frame_width, frame_width / 2, frame_width / 2};
    sws_scale(context_.get(), from, from_stride, 0, band_rows, into, into_stride);
  }

  [[nodiscard]] std::string name() const override {
    const unsigned version = swscale_version();
    return "libswscale " + std::to_string(version >> 16U) + "." +
           std::to_string(version >> 8U & 0xFFU) + "." + std::to_string(version & 0xFFU);
  }

 private:
  std::unique_ptr<SwsContext, free_context> context_;
};

}  // namespace

std::unique_ptr<converter> make_swscale_converter() {
  return std::make_unique<swscale_converter>();
}

}  // namespace pinhole::scenarios
