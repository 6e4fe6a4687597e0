// The kernels and loops that the topic `signal` times. All run with stop word, heartbeat and
// deadline.
#include "benchmarks/signal_work.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <numeric>
#include <optional>
#include <random>
#include <utility>

#include "pinhole/kernel/resident.cuh"
#include "pinhole/pinhole.hpp"

namespace pinhole::measure {

namespace {

using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

constexpr auto deadline = 2s;
/// For residents: no run takes longer, and one that hangs ends by itself.
constexpr auto lifetime = 100s;

struct twelve {
  std::uint32_t part[3];
};
PINHOLE_HD twelve answer_to(const twelve& asked) {
  return {asked.part[0] + 1, asked.part[1] ^ asked.part[0], ~asked.part[2]};
}
struct answers {
  PINHOLE_HD twelve operator()(const twelve& asked) const { return answer_to(asked); }
};
twelve number(std::uint32_t i) {
  return {{i, i * 2654435761U, ~i}};
}
bool is_right(const twelve& got, std::uint32_t i) {
  const twelve expected = answer_to(number(i));
  return std::equal(std::begin(got.part), std::end(got.part), std::begin(expected.part));
}

struct alignas(16) four_kib {
  std::uint32_t word[1024];
};
struct adds_up {
  PINHOLE_HD void operator()([[maybe_unused]] const four_kib& asked, [[maybe_unused]] twelve& reply,
                             [[maybe_unused]] const kernel::one_block& team) const {
#if defined(__CUDA_ARCH__)
    unsigned sum = 0;
    const auto* const words = reinterpret_cast<const uint4*>(asked.word);  // 16 bytes a load
    for (unsigned i = team.rank(); i < 256; i += team.size()) {
      sum += words[i].x + words[i].y + words[i].z + words[i].w;
    }
    __shared__ unsigned of_warp[8];
    sum = __reduce_add_sync(~0U, sum);
    if (team.rank() % 32 == 0) {
      of_warp[team.rank() / 32] = sum;
    }
    team.sync();
    unsigned total = 0;
    for (unsigned i = 0; i < team.size() / 32; ++i) {
      total += of_warp[i];
    }
    reply = {{total, asked.word[0], asked.word[1023]}};
#endif
  }
};

__global__ void nothing() {}

/// Follows a chain of indices through mapped memory, one read after the other.
__global__ void chase(const std::uint32_t* next, unsigned steps, std::uint64_t* ns) {
  std::uint32_t at = 0;
  const std::uint64_t start = words::now_ns();
  for (unsigned i = 0; i < steps; ++i) {
    at = *static_cast<const volatile std::uint32_t*>(next + at);
  }
  *ns = words::now_ns() - start + (at == ~0U);
}

__global__ void copy(const uint4* from, uint4* to, std::size_t n) {
  for (std::size_t i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x; i < n;
       i += std::size_t{gridDim.x} * blockDim.x) {
    to[i] = from[i];
  }
}

template <class Function>
double time_us(const Function& f) {
  const auto start = clock::now();
  f();
  return std::chrono::duration<double, std::micro>(clock::now() - start).count();
}

/// Steps of a chain that visits every 128-byte line of its memory once, in random order.
class chain {
 public:
  explicit chain(const device& where) : next_(where, lines * 32), ns_(where, 1), work_(where) {
    std::vector<std::uint32_t> order(lines - 1);
    std::iota(order.begin(), order.end(), 1U);
    std::shuffle(order.begin(), order.end(), std::minstd_rand(1));
    std::uint32_t at = 0;
    for (const auto line : order) {
      next_.host()[at] = line * 32;
      at = line * 32;
    }
    next_.host()[at] = 0;
  }
  double read_us() {
    constexpr unsigned steps = 200;
    chase<<<1, 1, 0, work_.native()>>>(next_.device().data(), steps, ns_.device().data());
    work_.wait(10s);
    return static_cast<double>(ns_.host()[0]) / steps / 1000;
  }

 private:
  static constexpr std::uint32_t lines = 1U << 17U;  // 16 MiB
  mapped_buffer<std::uint32_t> next_;
  mapped_buffer<std::uint64_t> ns_;
  stream work_;
};

void round_trips(const device& where, unsigned blocks, signal_samples& into) {
  constexpr auto spin = wait_policy::spin;
  const mailbox_options alone{.capacity = 64, .orders = ordering::messages};
  mailbox<twelve, twelve> desk(where, alone);
  mailbox<twelve, twelve> ordered(where);
  mailbox<four_kib, twelve> large(where, alone);
  chain reads(where);
  const stream work(where);
  cudaFuncAttributes loaded{};
  cudaFuncGetAttributes(&loaded, nothing);
  cudaFuncGetAttributes(&loaded, chase);
  nothing<<<1, 1, 0, work.native()>>>();
  cudaStreamSynchronize(work.native());
  reads.read_us();
  const resident one(where, desk, answers{}, {.lifetime = lifetime});
  const resident two(where, ordered, answers{}, {.lifetime = lifetime});
  const resident three(where, large, adds_up{}, {.lifetime = lifetime});
  std::uint32_t i = 0;
  four_kib page{};
  const auto ask = [&](auto& box, std::vector<double>& samples) {
    twelve got{};
    samples.push_back(time_us([&] { got = box.ask(number(i), deadline, spin); }));
    into.wrong += is_right(got, i) ? 0 : 1;
    ++i;
    ++into.rounds_checked;
  };
  std::vector<double> unused;
  for (unsigned warm = 0; warm < 1000; ++warm) {
    ask(desk, unused);
    ask(ordered, unused);
  }
  for (unsigned block = 0; block < blocks; ++block) {
    for (unsigned round = 0; round < 500; ++round) {
      ask(desk, into.mailbox_12);
    }
    for (unsigned round = 0; round < 500; ++round) {
      ask(ordered, into.mailbox_12_ordered);
    }
    for (unsigned round = 0; round < 500; ++round) {
      page.word[0] = i;
      page.word[1023] = ~i;
      page.word[500] = i * 3;
      twelve got{};
      into.mailbox_4k.push_back(time_us([&] { got = large.ask(page, deadline, spin); }));
      const bool right = got.part[0] == i + ~i + i * 3 && got.part[1] == i && got.part[2] == ~i;
      into.wrong += right ? 0 : 1;
      ++i;
      ++into.rounds_checked;
    }
    for (unsigned round = 0; round < 100; ++round) {
      into.launch.push_back(time_us([&] {
        nothing<<<1, 1, 0, work.native()>>>();
        cudaStreamSynchronize(work.native());
      }));
    }
    into.pcie_read.push_back(reads.read_us());
  }
}

/// Many rounds in flight at once, every answer checked: for torn, lost and stale messages.
void many_rounds(const device& where, std::uint32_t rounds, signal_samples& into) {
  mailbox<twelve, twelve> desk(where, {.capacity = 64, .orders = ordering::messages});
  const resident worker(where, desk, answers{}, {.blocks = 8, .lifetime = 3 * lifetime});
  std::deque<ticket> in_flight;
  std::uint32_t asked = 0;
  for (std::uint32_t answered = 0; answered < rounds; ++answered) {
    while (asked < rounds) {
      const auto drawn = desk.try_post(number(asked));
      if (!drawn) {
        break;
      }
      in_flight.push_back(*drawn);
      ++asked;
    }
    into.wrong += is_right(desk.wait(in_flight.front(), deadline), answered) ? 0 : 1;
    in_flight.pop_front();
  }
  into.rounds_checked += rounds;
}

// ---- rings -----------------------------------------------------------------------------------

struct element {
  std::uint64_t word[8];
};
constexpr unsigned batch = 1024;

/// Checks every word of every element, and their order.
struct check_elements {
  kernel::ring_source<element> ring;
  view<std::uint64_t> wrong;
  PINHOLE_HD void operator()(kernel::watch& life, const kernel::grid_place& /*at*/) const {
    const kernel::one_block team;
    kernel::ring_reader<element, kernel::one_block> reader(ring);
    std::uint64_t mistakes = 0;
    while (const std::uint64_t n = reader.wait(life)) {
      for (std::uint64_t i = team.rank(); i < 8 * n; i += team.size()) {
        const std::uint64_t expected = (reader.position() + i / 8) * 8 + i % 8;
        mistakes += reader[i / 8].word[i % 8] == expected ? 0 : 1;
      }
      reader.release(n);
    }
    wrong[team.rank()] += mistakes;
  }
};

/// Makes elements in shared memory and pushes them, a tile at a time.
struct make_elements {
  std::uint64_t count;
  PINHOLE_HD void operator()([[maybe_unused]] kernel::ring_writer<element, kernel::one_block>& out,
                             [[maybe_unused]] kernel::watch& life) const {
#if defined(__CUDA_ARCH__)
    constexpr unsigned tile_size = 512;
    __shared__ alignas(16) element tile[tile_size];
    const kernel::one_block team;
    for (std::uint64_t first = 0; first < count; first += tile_size) {
      for (unsigned i = team.rank(); i < 8 * tile_size; i += team.size()) {
        tile[i / 8].word[i % 8] = first * 8 + i;
      }
      team.sync();
      if (out.push(tile, tile_size, life) != tile_size) {
        return;
      }
      team.sync();
    }
    out.close();
#endif
  }
};

double push_elements(const device& where, std::uint64_t count, signal_samples& into) {
  ring_to_device<element> ring(where, 16 * batch);
  mapped_buffer<std::uint64_t> wrong(where, 512);
  std::ranges::fill(wrong.host(), 0);
  resident worker(where, check_elements{ring.device(), wrong.device()},
                  {.threads = 512, .lifetime = lifetime}, ring, wrong);
  std::vector<element> elements(batch);
  const double us = time_us([&] {
    for (std::uint64_t first = 0; first < count; first += batch) {
      std::uint64_t next = first * 8;
      for (auto& one : elements) {
        for (auto& word : one.word) {
          word = next++;
        }
      }
      ring.push(elements, deadline, wait_policy::spin);
    }
    ring.wait_until_consumed(deadline, wait_policy::spin);
  });
  ring.close();
  worker.stop(deadline);
  for (const auto mistakes : wrong.host()) {
    into.wrong += mistakes;
  }
  into.elements_checked += count;
  return static_cast<double>(count) / us * 1e6;
}

double pop_elements(const device& where, std::uint64_t count, signal_samples& into) {
  ring_to_host<element> ring(where, 16 * batch);
  const auto start = clock::now();
  const resident worker(where, ring, make_elements{count}, {.threads = 512, .lifetime = lifetime});
  std::uint64_t next = 0;
  std::uint64_t mistakes = 0;
  auto last_seen = start;
  while (next < 8 * count) {
    const auto front = ring.front();
    for (const auto& one : front) {
      for (const auto word : one.word) {
        mistakes += word == next++ ? 0 : 1;
      }
    }
    ring.pop_front(front.size());
    if (!front.empty()) {
      last_seen = clock::now();
    } else if (clock::now() - last_seen > deadline) {
      into.wrong += 8 * count - next;  // lost
      break;
    }
  }
  const double seconds = std::chrono::duration<double>(clock::now() - start).count();
  into.wrong += mistakes;
  into.elements_checked += count;
  return static_cast<double>(count) / seconds;
}

/// A copy within device memory with and without a resident beside it, taking turns.
void cost_of_idling(const device& where, unsigned turns, signal_samples& into) {
  constexpr std::size_t n = (std::size_t{1} << 30U) / sizeof(uint4);
  staged_buffer<uint4> from(where, n, {.host = host_memory::pageable});
  staged_buffer<uint4> to(where, n, {.host = host_memory::pageable});
  const stream work(where);
  // Many waves, as a launch over all elements has: in one that fills the device exactly, the block
  // whose place is taken would run alone at the end.
  const auto blocks = static_cast<unsigned>(where.capabilities().multiprocessors) * 128;
  const auto run = [&] {
    return time_us([&] {
      for (int i = 0; i < 10; ++i) {
        copy<<<blocks, 256, 0, work.native()>>>(from.device().data(), to.device().data(), n);
      }
      work.wait(10s);
    });
  };
  run();
  mailbox<twelve, twelve> desk(where);
  for (unsigned turn = 0; turn < turns; ++turn) {
    const auto beside_one = [&] {
      const resident worker(where, desk, answers{}, {.lifetime = lifetime});
      return run();
    };
    // Who comes first changes from turn to turn, as clocks and caches do within one.
    const double before = turn % 2 == 0 ? run() : 0;
    const double with = beside_one();
    const double without = turn % 2 == 0 ? before : run();
    into.idle_cost.push_back(with / without - 1);
  }
}

}  // namespace

signal_samples measure_signal_work(const device& where, bool full,
                                   const std::function<void(const char*, double)>& tell) {
  signal_samples all;
  tell("round trips", 0);
  round_trips(where, full ? 40 : 4, all);
  tell("many rounds", 0.1);
  many_rounds(where, full ? 100'000'000 : 1'000'000, all);
  // Both ways together, a thousand million.
  const std::uint64_t elements = full ? (50'000'000 + batch - 1) / batch * batch : 1000 * batch;
  for (unsigned run = 0; run < 10; ++run) {
    tell("rings", 0.5 + 0.04 * run);
    all.ring_down.push_back(push_elements(where, elements, all));
    all.ring_up.push_back(pop_elements(where, elements, all));
  }
  tell("a resident that idles", 0.9);
  cost_of_idling(where, full ? 15 : 3, all);
  return all;
}

}  // namespace pinhole::measure
