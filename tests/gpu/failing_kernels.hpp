// Kernels that end the device for the process that runs them.
#pragma once

#include "pinhole/platform/stream.hpp"

namespace pinhole::test {

/// Queues a kernel that executes a trap.
void trap(const stream_ref& work);
/// Queues a kernel that writes where there is no memory.
void write_to_nowhere(const stream_ref& work);
/// Queues a kernel with more threads in a block than any GPU has; throws what launch() throws.
void launch_too_wide(const stream_ref& work);

}  // namespace pinhole::test
