// Bytes by the hundred thousand belong in a buffer.
// must fail with: a mailbox carries messages of up to 64 KiB
#include "pinhole/signal/mailbox.hpp"

struct request {
#if defined(MUST_FAIL)
  char bytes[(64 << 10) + 1];
#else
  char bytes[64 << 10];
#endif
};
using desk = pinhole::mailbox<request, int>;
unsigned size = sizeof(desk);
