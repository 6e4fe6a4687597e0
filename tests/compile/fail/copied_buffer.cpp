// A copy would be a second owner of the same pinned memory.
// must fail with: use of deleted function
#include <utility>

#include "pinhole/memory/any_buffer.hpp"

pinhole::any_buffer<int> take(pinhole::any_buffer<int>& buffer) {
#if defined(MUST_FAIL)
  return buffer;
#else
  return std::move(buffer);
#endif
}
