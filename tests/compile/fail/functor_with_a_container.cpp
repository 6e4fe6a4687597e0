// A functor travels to the device as bytes, so it cannot own a container.
// must fail with: make it trivially copyable
#include <vector>

#if !defined(__CUDACC__)
#define PINHOLE_CPU_ONLY
#endif
#include "pinhole/core/view.hpp"
#include "pinhole/kernel/for_each_index.cuh"

struct doubled {
#if defined(MUST_FAIL)
  std::vector<int> history;
#endif
  pinhole::view<int> values;
  PINHOLE_HD void operator()(std::size_t i) const { values[i] *= 2; }
};

void run(const pinhole::stream_ref& work, const doubled& what) {
  pinhole::for_each_index(work, what.values.size(), what);
}
