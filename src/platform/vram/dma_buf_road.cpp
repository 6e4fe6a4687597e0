// cuMemGetHandleForAddressRange and mmap.
#include "platform/vram/dma_buf_road.hpp"

#include <cuda.h>
#include <cudaTypedefs.h>

#include <cerrno>
#include <cstdint>
#include <memory>

#include "platform/cuda/cuda_backend.hpp"
#include "platform/cuda/driver_entry.hpp"
#include "platform/linux/mapping.hpp"

namespace pinhole::platform {

namespace {

status status_of_driver(CUresult result, const char* call) noexcept {
  if (result == CUDA_SUCCESS) {
    return {};
  }
  const char* name = "an unknown CUresult";
  using function = CUresult (*)(CUresult, const char**);
  if (const auto get = driver_entry<function>("cuGetErrorName", 12000); get != nullptr) {
    get(result, &name);
  }
  const auto what = result == CUDA_ERROR_OUT_OF_MEMORY   ? outcome::out_of_memory
                    : result == CUDA_ERROR_NOT_SUPPORTED ? outcome::not_supported
                                                         : outcome::failed;
  return {what, call, name};
}

/// Post: `file` is a dma-buf of the range.
status export_range(void* memory, std::size_t bytes, int& file) noexcept {
  constexpr auto call = "cuMemGetHandleForAddressRange";
  const auto get = driver_entry<PFN_cuMemGetHandleForAddressRange_v11070>(call, 11070);
  if (get == nullptr) {
    return {outcome::not_supported, call, "a driver without it"};
  }
  return status_of_driver(get(&file, reinterpret_cast<CUdeviceptr>(memory), bytes,
                              CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0),
                          call);
}

struct mapped_dma_buf {
  int file;
  std::size_t bytes;
};

}  // namespace

road_state dma_buf_road::probe() {
  auto problem = problem_on_trial();
  if (problem.empty()) {
    return {.open = {true, "", ""}};
  }
  return {.open = {false, std::move(problem),
                   "use driver 610 (CUDA 13.3) or newer with its open kernel modules"}};
}

status dma_buf_road::map(std::size_t bytes, vram_block& out) {
  const current_device current(ordinal());
  auto kept = std::make_unique<mapped_dma_buf>(mapped_dma_buf{-1, whole_granules(bytes)});
  void* memory = nullptr;
  if (const auto made = cudaMalloc(&memory, kept->bytes); made != cudaSuccess) {
    return status_of(made, "cudaMalloc");
  }
  auto result = export_range(memory, kept->bytes, kept->file);
  void* host = nullptr;
  if (result.ok()) {
    host = map_shared(kept->file, kept->bytes);
    if (host == nullptr) {
      result = {errno == ENOMEM ? outcome::out_of_memory : outcome::not_supported,
                "mmap of a dma-buf", errno_name(errno)};
      close_file(kept->file);
    }
  }
  if (!result.ok()) {
    cudaFree(memory);
    return result;
  }
  keep_from_children(host, kept->bytes);
  out = {.host = host, .on_device = memory, .write_combining = true, .handle = kept.release()};
  return {};
}

status dma_buf_road::unmap(const vram_block& block) {
  const current_device current(ordinal());
  // The memory first: where freeing is not permitted now, nothing is undone yet.
  const auto result = status_of(cudaFree(block.on_device), "cudaFree");
  if (result.what != outcome::not_permitted) {
    const std::unique_ptr<mapped_dma_buf> kept(static_cast<mapped_dma_buf*>(block.handle));
    platform::unmap(block.host, kept->bytes);
    close_file(kept->file);
  }
  return result;
}

}  // namespace pinhole::platform
