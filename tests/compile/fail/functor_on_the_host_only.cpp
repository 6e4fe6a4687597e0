// A functor that forgot PINHOLE_HD exists for the host alone. A build without nvcc cannot see that.
// must fail with: from a __global__ function
#include "pinhole/core/view.hpp"
#include "pinhole/kernel/for_each_index.cuh"

struct doubled {
  pinhole::view<int> values;
#if !defined(MUST_FAIL)
  PINHOLE_HD
#endif
  void operator()(std::size_t i) const { values[i] *= 2; }
};

void run(const pinhole::stream_ref& work, pinhole::view<int> values) {
  pinhole::for_each_index(work, values.size(), doubled{values});
}
