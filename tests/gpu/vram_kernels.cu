// A warp that stays and checks messages, and one that takes its time.
#include "tests/gpu/vram_kernels.hpp"

#include <cuda/atomic>

#include "pinhole/platform/launch.hpp"

namespace pinhole::test {

namespace {

using system_word = cuda::atomic_ref<std::uint32_t, cuda::thread_scope_system>;

__device__ std::uint64_t now_ns() {
  std::uint64_t ns = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

__device__ std::uint32_t stop_word(const conversation& with) {
  return *static_cast<const volatile std::uint32_t*>(with.stop.data());
}

/// Waits for another round than `last`; 0 with the reason in `ended` when there will be none.
__device__ std::uint32_t next_round(const conversation& with, std::uint32_t last,
                                    std::uint64_t give_up, std::uint32_t& ended) {
  system_word bell(with.doorbell[0]);
  for (std::uint32_t polls = 1;; ++polls) {
    const std::uint32_t round = bell.load(cuda::memory_order_acquire);
    if (round == stop_round) {
      ended = 1;
      return 0;
    }
    if (round != last) {
      return round;
    }
    if (polls % 1024 == 0) {
      system_word(with.reply[2]).store(polls, cuda::memory_order_relaxed);
      if (stop_word(with) != 0) {
        ended = 2;
        return 0;
      }
      if (now_ns() > give_up) {
        ended = 3;
        return 0;
      }
    }
  }
}

__global__ void check_messages(conversation with) {
  const std::uint64_t give_up = now_ns() + with.limit_ns;
  const auto lane = threadIdx.x;
  const auto words = static_cast<std::uint32_t>(with.payload.size());
  std::uint32_t round = 0;
  std::uint32_t wrong = 0;
  std::uint32_t ended = 0;
  while (true) {
    if (lane == 0) {
      round = next_round(with, round, give_up, ended);
    }
    round = __shfl_sync(0xffffffffU, round, 0);
    __syncwarp();  // a shuffle orders no memory: what lane 0 acquired, all lanes see from here on
    if (round == 0) {
      break;
    }
    system_word word(with.payload[message_place(round, words) + lane]);
    const bool bad = word.load(cuda::memory_order_relaxed) != message_word(round, lane);
    wrong += __popc(__ballot_sync(0xffffffffU, bad));
    if (lane == 0) {
      system_word(with.reply[1]).store(wrong, cuda::memory_order_relaxed);
      system_word(with.reply[0]).store(round, cuda::memory_order_release);
    }
  }
  if (lane == 0) {
    system_word(with.reply[3]).store(ended, cuda::memory_order_release);
  }
}

__global__ void add_one(view<std::uint32_t> data, std::uint64_t ns) {
  const std::uint64_t until = now_ns() + ns;
  while (now_ns() < until) {
  }
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < data.size();
       i += stride) {
    data[i] += 1;
  }
}

}  // namespace

void start_checker(const stream_ref& work, const conversation& with) {
  conversation copy = with;
  void* arguments[] = {&copy};
  launch_request request;
  request.name = "check_messages";
  request.cuda_kernel = reinterpret_cast<const void*>(&check_messages);
  request.threads = message_words;
  request.arguments = arguments;
  launch(work, request);
}

void add_one_after(const stream_ref& work, view<std::uint32_t> data, std::uint64_t ns) {
  void* arguments[] = {&data, &ns};
  launch_request request;
  request.name = "add_one";
  request.cuda_kernel = reinterpret_cast<const void*>(&add_one);
  request.blocks = 4;
  request.threads = 256;
  request.arguments = arguments;
  launch(work, request);
}

}  // namespace pinhole::test
