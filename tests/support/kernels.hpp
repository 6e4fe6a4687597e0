// The kernels of the tests, behind plain functions, so that the tests themselves are C++.
#pragma once

#include "pinhole/core/view.hpp"
#include "pinhole/platform/stream.hpp"

namespace pinhole::test {

/// Queues data[i] += amount for every element.
void add(const stream_ref& work, view<int> data, int amount);
/// Queues bytes[i] ^= mask for every byte.
void flip(const stream_ref& work, view<unsigned char> bytes, unsigned char mask);

}  // namespace pinhole::test
