// The kernels of the tests: functors, which run on every device.
#include "tests/support/kernels.hpp"

#include "pinhole/kernel/for_each_index.cuh"

namespace pinhole::test {

namespace {

struct add_amount {
  view<int> data;
  int amount;
  PINHOLE_HD void operator()(std::size_t i) const { data[i] += amount; }
};

struct flip_bits {
  view<unsigned char> bytes;
  unsigned char mask;
  PINHOLE_HD void operator()(std::size_t i) const {
    bytes[i] = static_cast<unsigned char>(bytes[i] ^ mask);
  }
};

}  // namespace

void add(const stream_ref& work, view<int> data, int amount) {
  for_each_index(work, data.size(), add_amount{data, amount});
}

void flip(const stream_ref& work, view<unsigned char> bytes, unsigned char mask) {
  for_each_index(work, bytes.size(), flip_bits{bytes, mask});
}

}  // namespace pinhole::test
