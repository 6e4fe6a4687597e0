// A copy would destroy the stream a second time.
// must fail with: use of deleted function
#include <utility>

#include "pinhole/platform/stream.hpp"

#if defined(MUST_FAIL)
pinhole::stream take(pinhole::stream& work) {
  return work;
}
#else
pinhole::stream take(pinhole::stream& work) {
  return std::move(work);
}
#endif
