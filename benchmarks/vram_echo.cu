// One warp, whose lanes poll the chunks of the message.
#include "benchmarks/vram_echo.hpp"

#include <cuda/atomic>

#include "pinhole/platform/launch.hpp"

namespace pinhole::measure {

namespace {

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

__global__ void echo(echo_desk desk) {
  const unsigned lane = threadIdx.x;
  const std::uint64_t give_up = now_ns() + desk.limit_ns;
  const auto* const mine = desk.message.data() + lane % desk.chunks * chunk_words;
  cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system> reply(desk.reply[0]);
  for (std::uint32_t round = 1;; ++round) {
    uint4 chunk = load_chunk(mine);
    for (unsigned polls = 1; !__all_sync(all_lanes, chunk.w == round); ++polls) {
      if (polls % 1024 == 0) {
        const bool ends = *static_cast<const volatile std::uint32_t*>(desk.stop.data()) != 0 ||
                          now_ns() > give_up;
        if (__any_sync(all_lanes, ends)) {
          return;
        }
      }
      chunk = load_chunk(mine);
    }
    std::uint64_t sum = std::uint64_t{chunk.x} + chunk.y + chunk.z;
    for (unsigned distance = 1; distance < desk.chunks; distance *= 2) {
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
  request.cuda_kernel = reinterpret_cast<const void*>(&echo);
  request.threads = 32;
  request.arguments = arguments;
  launch(work, request);
}

}  // namespace pinhole::measure
