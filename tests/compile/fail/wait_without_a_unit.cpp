// 5 of what? A deadline carries its unit.
// must fail with: cannot convert
#include "pinhole/platform/stream.hpp"

void wait(const pinhole::stream& work) {
#if defined(MUST_FAIL)
  work.wait(5);
#else
  work.wait(std::chrono::seconds(5));
#endif
}
