// A buffer is there to be written by one of the sides.
// must fail with: buffers hold trivially copyable, non-const elements
#include "pinhole/memory/mapped_buffer.hpp"

#if defined(MUST_FAIL)
using element = const int;
#else
using element = int;
#endif

std::size_t elements(const pinhole::mapped_buffer<element>& buffer) {
  return buffer.size();
}
