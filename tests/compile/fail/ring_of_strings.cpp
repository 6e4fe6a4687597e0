// An element that owns memory would arrive as a pointer into the host's heap.
// must fail with: a ring carries trivially copyable elements
#include <string>

#include "pinhole/signal/ring.hpp"

struct element {
#if defined(MUST_FAIL)
  std::string text;
#else
  char text[16];
#endif
};
using ring = pinhole::ring_to_device<element>;
unsigned size = sizeof(ring);
