// The opponent without the library: what an expert writes by hand to read host memory at full rate.
#include <cuda_runtime.h>

#include <algorithm>
#include <memory>
#include <string>

#include "pinhole/core/error.hpp"
#include "scenarios/block_sum.cuh"
#include "scenarios/reader.hpp"

namespace pinhole::scenarios {

namespace {

constexpr unsigned threads_per_block = 1024;

__global__ void __launch_bounds__(threads_per_block)
    bare_sum(const uint4* quads, std::size_t count, std::uint64_t* sums) {
  const std::size_t threads = static_cast<std::size_t>(gridDim.x) * threads_per_block;
  std::size_t i = static_cast<std::size_t>(blockIdx.x) * threads_per_block + threadIdx.x;
  std::uint64_t sum = 0;
  for (; i + 3 * threads < count; i += 4 * threads) {
    const uint4 a = quads[i];
    const uint4 b = quads[i + threads];
    const uint4 c = quads[i + 2 * threads];
    const uint4 d = quads[i + 3 * threads];
    sum += std::uint64_t{a.x} + a.y + a.z + a.w + b.x + b.y + b.z + b.w;
    sum += std::uint64_t{c.x} + c.y + c.z + c.w + d.x + d.y + d.z + d.w;
  }
  for (; i < count; i += threads) {
    const uint4 a = quads[i];
    sum += std::uint64_t{a.x} + a.y + a.z + a.w;
  }
  sum = detail::block_sum(sum);
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = sum;
  }
}

void require(cudaError_t status, const char* call) {
  if (status != cudaSuccess) {
    (void)cudaGetLastError();
    throw error({.kind = fault::call_failed,
                 .asked = "run the bare kernel",
                 .call = call,
                 .status = cudaGetErrorName(status),
                 .remedy = {},
                 .sticky = false,
                 .survives = {}});
  }
}

/// Makes a GPU current for as long as it lives.
class current_device {
 public:
  explicit current_device(int wanted) {
    require(cudaGetDevice(&before_), "cudaGetDevice");
    require(cudaSetDevice(wanted), "cudaSetDevice");
  }
  ~current_device() { (void)cudaSetDevice(before_); }
  current_device(const current_device&) = delete;
  current_device& operator=(const current_device&) = delete;

 private:
  int before_ = 0;
};

/// The number in "cuda:N".
int ordinal_of(const device& gpu) {
  return std::stoi(gpu.id().substr(gpu.id().find(':') + 1));
}

struct free_host {
  void operator()(void* memory) const { (void)cudaFreeHost(memory); }
};
template <class T>
using host_array = std::unique_ptr<T[], free_host>;

template <class T>
host_array<T> allocate(std::size_t count) {
  void* memory = nullptr;
  require(cudaHostAlloc(&memory, count * sizeof(T), cudaHostAllocMapped), "cudaHostAlloc");
  return host_array<T>(static_cast<T*>(memory));
}

class bare_reader_arm final : public reader {
 public:
  bare_reader_arm(const device& gpu, const reading_job& job)
      : reader("bare kernel", role::bare, job),
        ordinal_(ordinal_of(gpu)),
        blocks_(blocks_for(gpu, job.pattern)) {
    const current_device here(ordinal_);
    words_ = allocate<std::uint32_t>(job.pattern.words);
    sums_ = allocate<std::uint64_t>(blocks_);
    require(cudaStreamCreateWithFlags(&work_, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  }
  ~bare_reader_arm() override { (void)cudaStreamDestroy(work_); }
  bare_reader_arm(const bare_reader_arm&) = delete;
  bare_reader_arm& operator=(const bare_reader_arm&) = delete;

  [[nodiscard]] traffic moved() const override {
    return {.to_device = job().passes * job().bytes(),
            .to_host = std::uint64_t{job().passes} * blocks_ * sizeof(std::uint64_t)};
  }

  void run() override {
    const current_device here(ordinal_);
    for (unsigned pass = 0; pass < job().passes; ++pass) {
      bare_sum<<<blocks_, threads_per_block, 0, work_>>>(
          reinterpret_cast<const uint4*>(words_.get()), job().pattern.words / 4, sums_.get());
      require(cudaGetLastError(), "the launch");
      require(cudaStreamSynchronize(work_), "cudaStreamSynchronize");
      take({sums_.get(), blocks_});
    }
  }

 private:
  [[nodiscard]] std::span<std::uint32_t> host_words() override {
    return {words_.get(), job().pattern.words};
  }

  int ordinal_;
  unsigned blocks_;
  host_array<std::uint32_t> words_;
  host_array<std::uint64_t> sums_;
  cudaStream_t work_ = nullptr;
};

}  // namespace

std::unique_ptr<arm> bare_reader(const device& gpu, const reading_job& job) {
  return std::make_unique<bare_reader_arm>(gpu, job);
}

}  // namespace pinhole::scenarios
