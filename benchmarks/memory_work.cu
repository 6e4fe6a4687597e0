// Random access to tables across the link, gathers against the copy engine, and reading in order.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "benchmarks/memory_timing.hpp"
#include "pinhole/access/gather.hpp"
#include "pinhole/kernel/stream_through.cuh"
#include "pinhole/pinhole.hpp"

namespace pinhole::measure {

namespace {

using namespace std::chrono_literals;
constexpr auto patience = 60s;

void must(cudaError_t result) {
  if (result != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    throw std::runtime_error(cudaGetErrorName(result));
  }
}

// ---- random access ---------------------------------------------------------------------------

/// Numbers that look random, one for each i.
__device__ std::uint64_t scatter_bits(std::uint64_t i) {
  i = (i ^ (i >> 31)) * 0x9E3779B97F4A7C15ULL;
  i = (i ^ (i >> 29)) * 0xBF58476D1CE4E5B9ULL;
  return i ^ (i >> 32);
}

/// Eight threads read a line of 128 bytes; `lines` is a power of two.
__global__ void read_lines(const uint4* table, std::uint64_t lines, std::uint64_t reads,
                           std::uint64_t seed, unsigned* never) {
  const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
  unsigned sum = 0;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < 8 * reads;
       i += threads) {
    const uint4 part = table[(scatter_bits(seed + i / 8) & (lines - 1)) * 8 + i % 8];
    sum += part.x ^ part.y ^ part.z ^ part.w;
  }
  if (sum == 0x12345678U) {
    *never = sum;
  }
}

__global__ void write_words(std::uint32_t* table, std::uint64_t words, std::uint64_t writes,
                            std::uint64_t seed) {
  const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < writes;
       i += threads) {
    table[scatter_bits(seed + i) & (words - 1)] = static_cast<std::uint32_t>(i);
  }
}

/// Memory from cudaHostAlloc itself, with its pages touched by the driver.
class bare_pinned {
 public:
  explicit bare_pinned(std::size_t bytes) { must(cudaHostAlloc(&memory_, bytes, 0)); }
  ~bare_pinned() { cudaFreeHost(memory_); }
  bare_pinned(const bare_pinned&) = delete;
  bare_pinned& operator=(const bare_pinned&) = delete;
  [[nodiscard]] void* data() const noexcept { return memory_; }

 private:
  void* memory_ = nullptr;
};

/// Random access to one table, of which more and more is used.
class table_runs {
 public:
  explicit table_runs(const device& where) : work_(where), never_(where, 1) {
    blocks_ = 8 * static_cast<unsigned>(where.capabilities().multiprocessors);
  }
  timed_arm reads(const std::string& kind, void* table, std::size_t bytes) {
    constexpr std::uint64_t count = 4'000'000;
    return {"read 128 B, " + kind + ", " + std::to_string(bytes >> 20U) + " MiB, reads/s",
            [this, table, bytes] {
              read_lines<<<blocks_, 256, 0, work_.native()>>>(static_cast<const uint4*>(table),
                                                              bytes / 128, count, seed_ += count,
                                                              never_.device().data());
              must(cudaGetLastError());
              work_.wait(patience);
            },
            count};
  }
  timed_arm writes(const std::string& kind, void* table, std::size_t bytes) {
    constexpr std::uint64_t count = 4'000'000;
    return {"write 4 B, " + kind + ", " + std::to_string(bytes >> 20U) + " MiB, writes/s",
            [this, table, bytes] {
              write_words<<<blocks_, 256, 0, work_.native()>>>(static_cast<std::uint32_t*>(table),
                                                               bytes / 4, count, seed_ += count);
              must(cudaGetLastError());
              work_.wait(patience);
            },
            count};
  }

 private:
  stream work_;
  mapped_buffer<unsigned> never_;
  unsigned blocks_;
  std::uint64_t seed_ = 0;
};

// ---- blocks ----------------------------------------------------------------------------------

constexpr std::size_t blocks_at_once = 10'000;

/// Scattered blocks of one size: by the copy engine, packed by CPU threads, and gathered.
class block_runs {
 public:
  block_runs(const device& where, view<std::byte> table, std::size_t block_bytes)
      : block_bytes_(block_bytes),
        table_(table),
        work_(where),
        offsets_(where, blocks_at_once),
        packed_(where, blocks_at_once * block_bytes),
        near_(where, blocks_at_once * block_bytes, {.host = host_memory::pageable}) {
    std::minstd_rand random(static_cast<unsigned>(block_bytes));
    std::uniform_int_distribution<std::size_t> places(0, table.size() / block_bytes - 1);
    for (auto& one : offsets_.host()) {
      one = places(random) * block_bytes;
      from_.push_back(table.data() + one);
      to_.push_back(near_.device().data() + to_.size() * block_bytes);
    }
    sizes_.assign(blocks_at_once, block_bytes);
    offsets_.to_device(work_);
    near_.to_device(work_);
    work_.wait(patience);
  }

  std::vector<timed_arm> arms() {
    const std::string name = "blocks of " + std::to_string(block_bytes_) + " B, ";
    return {{name + "batch, us", [this] { copy_batch(); }},
            {name + "packed by threads, us", [this] { pack_and_copy(); }},
            {name + "gather, us", [this] { gather_all(); }},
            {name + "as many bytes read in order, us", [this] { read_in_order(); }}};
  }

  void gather_all() {
    gather_blocks(work_, table_, offsets_.device(), block_bytes_, near_.device());
    work_.wait(patience);
  }

  /// What the last of them left on the device is what it should be.
  void check(const std::string& what) {
    std::vector<std::byte> got(packed_.size());
    copy_to_host(near_.where(), std::span(got), view<const std::byte>(near_.device()));
    for (std::size_t i = 0; i < blocks_at_once; ++i) {
      require_right(std::memcmp(&got[i * block_bytes_], from_[i], block_bytes_) == 0, what);
    }
  }

 private:
  void copy_batch() {
    cudaMemcpyAttributes how{};
    how.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    std::size_t first = 0;
#if CUDART_VERSION >= 13000
    must(cudaMemcpyBatchAsync(to_.data(), from_.data(), sizes_.data(), blocks_at_once, &how, &first,
                              1, work_.native()));
#else
    std::size_t failed = 0;
    must(cudaMemcpyBatchAsync(to_.data(), const_cast<void**>(from_.data()), sizes_.data(),
                              blocks_at_once, &how, &first, 1, &failed, work_.native()));
#endif
    work_.wait(patience);
  }
  void pack_and_copy() {
    const unsigned threads = std::min(16U, std::thread::hardware_concurrency());
    std::vector<std::thread> packers;
    for (unsigned t = 0; t < threads; ++t) {
      packers.emplace_back([this, t, threads] {
        for (std::size_t i = t; i < blocks_at_once; i += threads) {
          std::memcpy(&packed_.host()[i * block_bytes_], from_[i], block_bytes_);
        }
      });
    }
    for (auto& one : packers) {
      one.join();
    }
    must(cudaMemcpyAsync(near_.device().data(), packed_.host().data(), packed_.size(),
                         cudaMemcpyHostToDevice, work_.native()));
    work_.wait(patience);
  }
  void read_in_order();

  std::size_t block_bytes_;
  view<std::byte> table_;
  stream work_;
  mapped_buffer<std::uint64_t> offsets_;
  mapped_buffer<std::byte> packed_;
  staged_buffer<std::byte> near_;
  std::vector<void*> to_;
  std::vector<const void*> from_;
  std::vector<std::size_t> sizes_;
};

// ---- in order --------------------------------------------------------------------------------

/// Consumes what it is given without writing it down.
struct look_at {
  unsigned* never;
  PINHOLE_HD void operator()(std::size_t i, const uint4& value) const {
    if (value.x == 0xDEADBEEFU && value.y == 0x12345678U && value.z == static_cast<unsigned>(i)) {
      *never = value.w;
    }
  }
};

__global__ void write_in_order(uint4* to, std::size_t n, unsigned value) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x) {
    to[i] = make_uint4(value, value, value, value);
  }
}

void block_runs::read_in_order() {
  const view<const uint4> all(reinterpret_cast<const uint4*>(table_.data()),
                              blocks_at_once * block_bytes_ / sizeof(uint4));
  stream_in_place(work_, all, 0, look_at{reinterpret_cast<unsigned*>(near_.device().data())},
                  2 * static_cast<unsigned>(work_.where().capabilities().multiprocessors));
  work_.wait(patience);
}

/// One warp a row, from the row's first byte on, as one writes it at first.
__global__ void plain_rows(const std::uint32_t* table, std::size_t words,
                           const std::uint32_t* which, std::size_t count, std::uint32_t* out) {
  const std::size_t warps = std::size_t{gridDim.x} * blockDim.x / 32;
  for (std::size_t row = (blockIdx.x * std::size_t{blockDim.x} + threadIdx.x) / 32; row < count;
       row += warps) {
    for (std::size_t i = threadIdx.x % 32; i < words; i += 32) {
      out[row * words + i] = table[which[row] * words + i];
    }
  }
}

void compare_rows(const device& where, unsigned rounds, named_samples& into) {
  constexpr std::size_t words = 1412 / 4;
  constexpr std::size_t rows_there = 100'000;
  constexpr std::size_t count = 20'000;
  const stream work(where);
  mapped_buffer<std::uint32_t> table(where, rows_there * words);
  mapped_buffer<std::uint32_t> which(where, count);
  staged_buffer<std::uint32_t> out(where, count * words, {.host = host_memory::pageable});
  for (std::size_t i = 0; i < table.size(); ++i) {
    table.host()[i] = static_cast<std::uint32_t>(i);
  }
  std::minstd_rand random(5);
  std::ranges::generate(which.host(), [&] { return random() % rows_there; });
  table.to_device(work);
  which.to_device(work);
  out.to_device(work);
  const unsigned blocks = 4 * static_cast<unsigned>(where.capabilities().multiprocessors);
  const auto plain = [&] {
    plain_rows<<<blocks, 512, 0, work.native()>>>(
        table.device().data(), words, which.device().data(), count, out.device().data());
    must(cudaGetLastError());
    work.wait(patience);
  };
  const auto gathered = [&] {
    gather(work, rows<std::uint32_t>(table.device(), words), which.device(), out.device());
    work.wait(patience);
  };
  for (const auto& run : {std::function<void()>(plain), std::function<void()>(gathered)}) {
    std::vector<std::uint32_t> got(out.size());
    must(cudaMemset(out.device().data(), 0xFF, out.size() * sizeof(std::uint32_t)));
    run();
    copy_to_host(where, std::span(got), view<const std::uint32_t>(out.device()));
    for (std::size_t i = 0; i < got.size(); ++i) {
      require_right(got[i] == which.host()[i / words] * words + i % words, "copying rows");
    }
  }
  take_turns(rounds,
             {{"rows of 1412 B, plain loop, us", plain}, {"rows of 1412 B, gather, us", gathered}},
             into);
}

/// A range of host memory, read and written in order.
void compare_ranges(const device& where, std::size_t bytes, unsigned rounds, named_samples& into) {
  const stream work(where);
  mapped_buffer<uint4> range(where, bytes / sizeof(uint4));
  mapped_buffer<unsigned> never(where, 1);
  std::memset(range.host().data(), 1, bytes);
  staged_buffer<uint4> near(where, range.size(), {.host = host_memory::pageable});
  chunk_engine engine(where);
  range.to_device(work);
  const unsigned whole = 2 * static_cast<unsigned>(where.capabilities().multiprocessors);
  const auto read = [&](unsigned blocks) {
    return [&, blocks] {
      stream_in_place(work, view<const uint4>(range.device()), 0, look_at{never.device().data()},
                      blocks);
      work.wait(patience);
    };
  };
  const auto write = [&](unsigned blocks) {
    return [&, blocks] {
      write_in_order<<<blocks, 1024, 0, work.native()>>>(range.device().data(), range.size(),
                                                         blocks);
      must(cudaGetLastError());
      work.wait(patience);
    };
  };
  take_turns(rounds,
             {{"read in order on 4 SMs, us", read(4)},
              {"read in order on all SMs, us", read(whole)},
              {"stream through, us",
               [&] {
                 stream_through(work, range, look_at{never.device().data()}, {.engine = &engine});
                 work.wait(patience);
               }},
              {"cudaMemcpy, us",
               [&] {
                 must(cudaMemcpy(near.device().data(), range.host().data(), bytes,
                                 cudaMemcpyHostToDevice));
               }}},
             into);
  take_turns(
      rounds,
      {{"write in order on 4 SMs, us", write(4)}, {"write in order on all SMs, us", write(whole)}},
      into);
  require_right(range.host()[range.size() - 1].w == whole, "writing in order");
}

// ---- beside a big copy -----------------------------------------------------------------------

/// 64 KiB that a kernel needs while 256 MiB are on their way: copied behind them, or read in place.
void beside_a_big_copy(const device& where, unsigned rounds, named_samples& into) {
  constexpr std::size_t big_bytes = 256_MiB;
  constexpr std::size_t chunk_bytes = 2_MiB;
  constexpr std::size_t small_bytes = 64_KiB;
  const stream bulk(where);
  const stream urgent(where);
  staged_buffer<std::byte> big(where, big_bytes);
  staged_buffer<uint4> copied(where, small_bytes / sizeof(uint4));
  mapped_buffer<uint4> in_place(where, copied.size());
  mapped_buffer<unsigned> never(where, 1);
  const auto start_big = [&](std::size_t at_once) {
    for (std::size_t first = 0; first < big_bytes; first += at_once) {
      big.to_device(bulk, first, at_once);
    }
  };
  const auto look = [&](view<const uint4> data) {
    stream_in_place(urgent, data, 0, look_at{never.device().data()}, 4);
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
        into[name].push_back(us);
      }
    };
    timed("64 KiB copied behind a big copy, us", big_bytes, copy_and_look);
    timed("64 KiB copied beside a big copy in 2 MiB chunks, us", chunk_bytes, copy_and_look);
    timed("64 KiB read in place beside a big copy, us", big_bytes,
          [&] { look(in_place.device()); });
  }
}

}  // namespace

void measure_tables(const device& where, bool full, named_samples& into, const told& tell) {
  const std::size_t most_managed = full ? 16_GiB : 512_MiB;
  const std::size_t most_pinned = full ? 4_GiB : 512_MiB;
  tell("managed memory", 0);
  managed_buffer<std::byte> managed(where, most_managed);
  tell("pinned memory", 0.2);
  const bare_pinned pinned(most_pinned);
  std::memset(pinned.data(), 1, most_pinned);
  table_runs runs(where);
  for (std::size_t bytes = 64_MiB; bytes <= most_managed; bytes *= 2) {
    tell("random access",
         0.3 + 0.7 * static_cast<double>(bytes) / static_cast<double>(most_managed));
    std::vector<timed_arm> arms = {runs.reads("managed", managed.host().data(), bytes),
                                   runs.writes("managed", managed.host().data(), bytes)};
    if (bytes <= most_pinned) {
      arms.push_back(runs.reads("cudaHostAlloc", pinned.data(), bytes));
      arms.push_back(runs.writes("cudaHostAlloc", pinned.data(), bytes));
    }
    take_turns(full ? 15 : 3, arms, into);
  }
}

void measure_access(const device& where, bool full, named_samples& into, const told& tell) {
  tell("blocks", 0);
  mapped_buffer<std::byte> table(where, full ? 1_GiB : 640_MiB);
  std::minstd_rand random(3);
  for (std::size_t i = 0; i < table.size(); i += sizeof(std::uint32_t)) {
    const auto value = static_cast<std::uint32_t>(random());
    std::memcpy(&table.host()[i], &value, sizeof value);
  }
  for (const std::size_t block_bytes : {std::size_t{512}, 4_KiB, 64_KiB}) {
    // Small blocks lie within what the device's page tables reach.
    const auto used = block_bytes < 64_KiB ? 256_MiB : table.size();
    block_runs runs(where, table.device().subview(0, used), block_bytes);
    const auto arms = runs.arms();
    for (std::size_t i = 0; i < 3; ++i) {
      arms[i].run();
      runs.check(arms[i].name);
    }
    take_turns(full ? 20 : 3, arms, into);
  }
  tell("rows", 0.4);
  compare_rows(where, full ? 30 : 3, into);
  tell("ranges", 0.5);
  compare_ranges(where, full ? 1_GiB : 128_MiB, full ? 15 : 3, into);
  tell("beside a big copy", 0.7);
  beside_a_big_copy(where, full ? 300 : 20, into);
}

}  // namespace pinhole::measure
