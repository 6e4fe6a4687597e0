// A conversion that compilers turn into vector instructions: whole rows of known length.
#include "scenarios/yuv.hpp"

namespace pinhole::scenarios {

namespace {

void take_luma(const std::uint8_t* __restrict raw, std::uint8_t* __restrict luma) {
  for (unsigned x = 0; x < frame_width; ++x) {
    luma[x] = raw[2 * x];
  }
}

/// One of U and V, of two rows.
void take_chroma(const std::uint8_t* __restrict upper, const std::uint8_t* __restrict lower,
                 std::uint8_t* __restrict chroma) {
  for (unsigned x = 0; x < frame_width / 2; ++x) {
    chroma[x] = static_cast<std::uint8_t>((upper[4 * x] + lower[4 * x] + 1) / 2);
  }
}

class own_converter final : public converter {
 public:
  void convert(std::span<const std::uint8_t> raw, unsigned which,
               std::span<std::uint8_t> band) override {
    std::uint8_t* luma = band.data();
    std::uint8_t* u = luma + luma_bytes;
    std::uint8_t* v = u + chroma_bytes;
    const std::uint8_t* row = raw.data() + which * band_rows * raw_row_bytes;
    for (unsigned y = 0; y < band_rows; y += 2) {
      const std::uint8_t* const next = row + raw_row_bytes;
      take_luma(row, luma);
      take_luma(next, luma + frame_width);
      take_chroma(row + 1, next + 1, u);
      take_chroma(row + 3, next + 3, v);
      row += 2 * raw_row_bytes;
      luma += std::size_t{2} * frame_width;
      u += frame_width / 2;
      v += frame_width / 2;
    }
  }
  [[nodiscard]] std::string name() const override { return "a loop of our own"; }
};

}  // namespace

std::unique_ptr<converter> make_own_converter() {
  return std::make_unique<own_converter>();
}

std::unique_ptr<converter> make_converter() {
#if defined(PINHOLE_SWSCALE)
  return make_swscale_converter();
#else
  return make_own_converter();
#endif
}

}  // namespace pinhole::scenarios
