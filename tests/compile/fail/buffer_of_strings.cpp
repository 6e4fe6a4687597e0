// A string's pointer means nothing on the other side of the link.
// must fail with: buffers hold trivially copyable, non-const elements
#include <string>

#include "pinhole/memory/mapped_buffer.hpp"

#if defined(MUST_FAIL)
using element = std::string;
#else
using element = char;
#endif

std::size_t elements(const pinhole::mapped_buffer<element>& buffer) {
  return buffer.size();
}
