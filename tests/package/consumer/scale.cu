// Work for both devices: nvcc compiles it where pinhole was built with CUDA, g++ elsewhere.
#include "scale.hpp"

#include <pinhole/kernel/for_each_index.cuh>

namespace {
struct scaled {
  pinhole::view<float> values;
  float factor;
  PINHOLE_HD void operator()(std::size_t i) const { values[i] *= factor; }
};
}  // namespace

void scale(const pinhole::stream_ref& work, pinhole::view<float> values, float factor) {
  pinhole::for_each_index(work, values.size(), scaled{values, factor});
}
