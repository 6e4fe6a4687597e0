// One warp, whose lanes poll the chunks of the message.
#include "benchmarks/vram_echo.hpp"

#include <cuda/atomic>

#include "pinhole/platform/launch.hpp"

namespace pinhole::measure {

namespace {

constexpr unsigned lanes = 32;
constexpr unsigned all_lanes = 0xffffffffU;

__device__ std::uint64_t now_ns() {
  std::uint64_t ns = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

/// All 16 bytes at once, from where the CPU's writes arrive.
__device__ uint4 load_chunk(const std::uint32_t* from) {
  uint4 got;
  asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(got.x), "=r"(got.y), "=r"(got.z), "=r"(got.w)
               : "l"(from)
               : "memory");
  return got;
}

/// Each lane takes `Each` chunks, whose loads are under way together. Where there are fewer chunks
/// than lanes, lanes look at the same one.
template <unsigned Each>
__global__ void echo(echo_desk desk) {
  const unsigned lane = threadIdx.x;
  const unsigned sharers = Each > 1 ? lanes : desk.chunks;  // lanes whose chunks make a message
  const std::uint64_t give_up = now_ns() + desk.limit_ns;
  const auto* const mine = desk.message.data() + lane % sharers * chunk_words;
  cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system> reply(desk.reply[0]);
  for (std::uint32_t round = 1;; ++round) {
    uint4 chunks[Each];
    bool arrived = false;
    for (unsigned polls = 1; !__all_sync(all_lanes, arrived); ++polls) {
      if (polls % 1024 == 0) {
        const bool ends = *static_cast<const volatile std::uint32_t*>(desk.stop.data()) != 0 ||
                          now_ns() > give_up;
        if (__any_sync(all_lanes, ends)) {
          return;
        }
      }
#pragma unroll
      for (unsigned i = 0; i < Each; ++i) {
        chunks[i] = load_chunk(mine + i * lanes * chunk_words);
      }
      arrived = true;
#pragma unroll
      for (unsigned i = 0; i < Each; ++i) {
        arrived = arrived && chunks[i].w == round;
      }
    }
    std::uint64_t sum = 0;
#pragma unroll
    for (unsigned i = 0; i < Each; ++i) {
      sum += std::uint64_t{chunks[i].x} + chunks[i].y + chunks[i].z;
    }
    for (unsigned distance = 1; distance < sharers; distance *= 2) {
      sum += __shfl_xor_sync(all_lanes, sum, distance);
    }
    if (lane == 0) {
      reply.store(sum << 32U | round, cuda::memory_order_relaxed);
    }
  }
}

}  // namespace

void start_echo(const stream_ref& work, const echo_desk& desk) {
  echo_desk copy = desk;
  void* arguments[] = {&copy};
  launch_request request;
  request.name = "echo";
  request.cuda_kernel = desk.chunks > lanes ? reinterpret_cast<const void*>(&echo<8>)
                                            : reinterpret_cast<const void*>(&echo<1>);
  request.threads = lanes;
  request.arguments = arguments;
  launch(work, request);
}

}  // namespace pinhole::measure
