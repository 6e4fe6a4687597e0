// Times for tests of kernels that stay: where something is wrong they end soon, and by themselves.
#pragma once

#include "pinhole/signal/resident.hpp"
#include "tests/gpu/gpu_fixture.hpp"

namespace pinhole::test {

/// For every wait of the host. A round takes microseconds.
inline constexpr auto soon = 1s;
/// No kernel outlives it, whatever its host does.
inline constexpr auto lifetime = 5s;

inline resident_options for_a_while(unsigned blocks = 1, unsigned threads = 0) {
  return {.blocks = blocks, .threads = threads, .lifetime = lifetime, .start_wait = soon};
}

}  // namespace pinhole::test
