// Whole ranges across the link: few multiprocessors against all, and small work beside a big copy.
#include <cstring>

#include "benchmarks/memory_kernels.hpp"
#include "benchmarks/memory_timing.hpp"
#include "pinhole/memory/staged_buffer.hpp"

namespace pinhole::measure {

namespace {

/// A range of host memory, read and written in order.
void compare_ranges(const device& where, std::size_t bytes, unsigned rounds, memory_samples& into) {
  const stream work(where);
  mapped_buffer<uint4> range(where, bytes / sizeof(uint4));
  mapped_buffer<unsigned> never(where, 1);
  std::memset(range.host().data(), 1, bytes);
  const staged_buffer<uint4> near(where, range.size(), {.host = host_memory::pageable});
  chunk_engine engine(where);
  range.to_device(work);
  const auto read = [&](unsigned blocks) {
    return [&, blocks] {
      look_in_place(work, range.device(), never.device().data(), blocks);
      work.wait(patience);
    };
  };
  const auto through = [&] {
    look_through(work, range, never.device().data(), engine);
    work.wait(patience);
  };
  const auto copy = [&] {
    must(cudaMemcpy(near.device().data(), range.host().data(), bytes, cudaMemcpyHostToDevice));
  };
  take_turns(rounds,
             {{.name = "read in order on 4 SMs, us", .run = read(4)},
              {.name = "read in order on all SMs, us", .run = read(all_blocks(where))},
              {.name = "stream through, us", .run = through},
              {.name = "cudaMemcpy, us", .run = copy}},
             into);
  const auto write = [&](unsigned blocks) {
    return [&, blocks] {
      write_in_order(work, range.device(), blocks, blocks);
      work.wait(patience);
      require_right(range.host()[0].x == blocks && range.host()[range.size() - 1].w == blocks,
                    "writing in order");
    };
  };
  take_turns(rounds,
             {{.name = "write in order on 4 SMs, us", .run = write(4)},
              {.name = "write in order on all SMs, us", .run = write(all_blocks(where))}},
             into);
}

/// 64 KiB that a kernel needs while 256 MiB are on their way: copied behind them, or read in place.
void beside_a_big_copy(const device& where, unsigned rounds, memory_samples& into) {
  constexpr std::size_t big_bytes = 256_MiB;
  constexpr std::size_t chunk_bytes = 2_MiB;
  constexpr std::size_t small_bytes = 64_KiB;
  const stream bulk(where);
  const stream urgent(where);
  staged_buffer<std::byte> big(where, big_bytes);
  staged_buffer<uint4> copied(where, small_bytes / sizeof(uint4));
  const mapped_buffer<uint4> in_place(where, copied.size());
  const mapped_buffer<unsigned> never(where, 1);
  const auto start_big = [&](std::size_t at_once) {
    for (std::size_t first = 0; first < big_bytes; first += at_once) {
      big.to_device(bulk, first, at_once);
    }
  };
  const auto look = [&](view<const uint4> data) {
    look_in_place(urgent, data, never.device().data(), 4);
    urgent.wait(patience);
  };
  const auto copy_and_look = [&] {
    copied.to_device(urgent);
    look(copied.device());
  };
  for (unsigned round = 0; round <= rounds; ++round) {
    const auto timed = [&](const char* name, std::size_t at_once, const auto& work) {
      start_big(at_once);
      const double us = time_us_of(work);
      bulk.wait(patience);
      if (round > 0) {
        into.by_name[name].push_back(us);
      }
    };
    timed("64 KiB copied behind a big copy, us", big_bytes, copy_and_look);
    timed("64 KiB copied beside a big copy in 2 MiB chunks, us", chunk_bytes, copy_and_look);
    timed("64 KiB read in place beside a big copy, us", big_bytes,
          [&] { look(in_place.device()); });
  }
}

}  // namespace

void measure_ranges(const device& where, bool full, memory_samples& into, const told& tell) {
  tell("ranges", 0);
  compare_ranges(where, full ? 1_GiB : 128_MiB, full ? 15 : 3, into);
  tell("beside a big copy", 0.5);
  beside_a_big_copy(where, full ? 300 : 20, into);
}

}  // namespace pinhole::measure
