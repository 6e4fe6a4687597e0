// A request that owns memory would arrive as a pointer into the host's heap.
// must fail with: a mailbox carries trivially copyable requests and replies
#include <string>

#include "pinhole/signal/mailbox.hpp"

struct request {
#if defined(MUST_FAIL)
  std::string text;
#else
  char text[16];
#endif
};
using desk = pinhole::mailbox<request, int>;
unsigned size = sizeof(desk);
