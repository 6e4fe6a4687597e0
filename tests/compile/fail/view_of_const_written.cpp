// A view of const elements is for reading.
// must fail with: assignment of read-only location
#include "pinhole/core/view.hpp"

#if defined(MUST_FAIL)
void clear(pinhole::view<const int> values) {
  values[0] = 0;
}
#else
void clear(pinhole::view<int> values) {
  values[0] = 0;
}
#endif
