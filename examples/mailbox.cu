// Questions about a table that stays on the device, answered by a kernel that stays beside it.
#include <chrono>
#include <cstdio>
#include <numeric>

#include "pinhole/kernel/resident.cuh"
#include "pinhole/pinhole.hpp"
#include "pinhole/signal/mailbox.hpp"

using namespace std::chrono_literals;

struct query {
  unsigned row;
};
struct reply {
  unsigned price;
};
struct lookup {
  pinhole::view<const unsigned> table;
  PINHOLE_HD reply operator()(const query& asked) const {
    return {asked.row < table.size() ? table[asked.row] : 0};
  }
};

int main() {
  const auto gpu = pinhole::device::first();
  const pinhole::stream work(gpu);
  pinhole::staged_buffer<unsigned> table(gpu, 1'000'000);
  std::iota(table.host().begin(), table.host().end(), 7U);
  table.to_device(work);
  work.wait(10s);

  pinhole::mailbox<query, reply> desk(gpu);
  pinhole::resident worker(gpu, desk, lookup{table.device()}, {}, table);

  const reply one = desk.ask({42}, 10s);              // a deadline, not an endless spin
  const pinhole::ticket first = desk.post({1}, 10s);  // several in flight
  const pinhole::ticket second = desk.post({2}, 10s);
  const unsigned two = desk.wait(first, 10s).price + desk.wait(second, 10s).price;
  worker.stop(10s);

  std::printf("row 42: %u, rows 1 and 2 together: %u\n", one.price, two);
  return one.price == 49 && two == 17 ? 0 : 1;
}
