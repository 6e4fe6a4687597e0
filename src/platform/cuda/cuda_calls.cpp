// Each is one or two calls of the CUDA runtime, with the device made current.
#include "platform/cuda/cuda_calls.hpp"

#include <cuda.h>
#include <cudaTypedefs.h>

#include <algorithm>
#include <array>

#include "platform/cuda/cuda_backend.hpp"
#include "platform/cuda/driver_entry.hpp"
#include "platform/linux/pci.hpp"

namespace pinhole::platform {

namespace {

// CUDA 13 gave the old functions' names to those that CUDA 12 calls _v2.
#if CUDART_VERSION >= 13000
constexpr auto advise = &cudaMemAdvise;
constexpr auto prefetch = &cudaMemPrefetchAsync;
#else
constexpr auto advise = &cudaMemAdvise_v2;
constexpr auto prefetch = &cudaMemPrefetchAsync_v2;
#endif

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

}  // namespace

status cuda_calls::identify(gpu_identity& into) {
  cudaDeviceProp facts{};
  if (const auto got = cudaGetDeviceProperties(&facts, ordinal_); got != cudaSuccess) {
    return status_of(got, "cudaGetDeviceProperties");
  }
  std::copy_n(reinterpret_cast<const std::uint8_t*>(facts.uuid.bytes), into.uuid.size(),
              into.uuid.begin());
  into.memory_bytes = facts.totalGlobalMem;
  std::array<char, 32> bus{};
  if (cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), ordinal_) == cudaSuccess) {
    into.bar1_bytes = read_pci(bus.data()).bar1_bytes;
  }
  return {};
}

status cuda_calls::is_coherent(bool& into) {
  int direct = 0;
  const auto asked =
      cudaDeviceGetAttribute(&direct, cudaDevAttrDirectManagedMemAccessFromHost, ordinal_);
  into = direct != 0;
  return status_of(asked, "cudaDeviceGetAttribute");
}

status cuda_calls::allocate(std::size_t bytes, void*& out) {
  const current_device current(ordinal_);
  return status_of(cudaMalloc(&out, bytes), "cudaMalloc");
}

status cuda_calls::allocate_managed(std::size_t bytes, void*& out) {
  const current_device current(ordinal_);
  return status_of(cudaMallocManaged(&out, bytes, cudaMemAttachGlobal), "cudaMallocManaged");
}

status cuda_calls::free(void* memory) {
  const current_device current(ordinal_);
  return status_of(cudaFree(memory), "cudaFree");
}

status cuda_calls::prefer_device(void* managed, std::size_t bytes) {
  const cudaMemLocation here{.type = cudaMemLocationTypeDevice, .id = ordinal_};
  return status_of(advise(managed, bytes, cudaMemAdviseSetPreferredLocation, here),
                   "cudaMemAdvise");
}

status cuda_calls::map_for_cpu(void* managed, std::size_t bytes) {
  const cudaMemLocation cpu{.type = cudaMemLocationTypeHost, .id = 0};
  return status_of(advise(managed, bytes, cudaMemAdviseSetAccessedBy, cpu), "cudaMemAdvise");
}

status cuda_calls::move_to_device(void* managed, std::size_t bytes) {
  const current_device current(ordinal_);
  const cudaMemLocation here{.type = cudaMemLocationTypeDevice, .id = ordinal_};
  if (const auto queued = prefetch(managed, bytes, here, 0, cudaStreamPerThread);
      queued != cudaSuccess) {
    return status_of(queued, "cudaMemPrefetchAsync");
  }
  return status_of(cudaStreamSynchronize(cudaStreamPerThread), "cudaStreamSynchronize");
}

status cuda_calls::export_dma_buf(void* memory, std::size_t bytes, int& file) {
  constexpr auto call = "cuMemGetHandleForAddressRange";
  const current_device current(ordinal_);
  const auto get = driver_entry<PFN_cuMemGetHandleForAddressRange_v11070>(call, 11070);
  if (get == nullptr) {
    return {outcome::not_supported, call, "a driver without it"};
  }
  return status_of_driver(get(&file, reinterpret_cast<CUdeviceptr>(memory), bytes,
                              CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0),
                          call);
}

status cuda_calls::import_file(int file, std::size_t bytes, void*& imported) {
  const current_device current(ordinal_);
  cudaExternalMemoryHandleDesc what{};
  what.type = cudaExternalMemoryHandleTypeOpaqueFd;
  what.handle.fd = file;
  what.size = bytes;
  cudaExternalMemory_t got = nullptr;
  const auto result = status_of(cudaImportExternalMemory(&got, &what), "cudaImportExternalMemory");
  imported = got;
  return result;
}

status cuda_calls::map_import(void* imported, std::size_t bytes, void*& on_device) {
  const current_device current(ordinal_);
  cudaExternalMemoryBufferDesc whole{};
  whole.size = bytes;
  return status_of(cudaExternalMemoryGetMappedBuffer(
                       &on_device, static_cast<cudaExternalMemory_t>(imported), &whole),
                   "cudaExternalMemoryGetMappedBuffer");
}

status cuda_calls::drop_import(void* imported) {
  const current_device current(ordinal_);
  return status_of(cudaDestroyExternalMemory(static_cast<cudaExternalMemory_t>(imported)),
                   "cudaDestroyExternalMemory");
}

status cuda_calls::copy_to_device(void* on_device, const void* from, std::size_t bytes) {
  const current_device current(ordinal_);
  if (const auto copied = cudaMemcpy(on_device, from, bytes, cudaMemcpyHostToDevice);
      copied != cudaSuccess) {
    return status_of(copied, "cudaMemcpy");
  }
  // From pageable memory cudaMemcpy returns before the bytes have arrived.
  return status_of(cudaStreamSynchronize(cudaStreamLegacy), "cudaStreamSynchronize");
}

status cuda_calls::copy_to_host(void* to, const void* on_device, std::size_t bytes) {
  const current_device current(ordinal_);
  return status_of(cudaMemcpy(to, on_device, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
}

}  // namespace pinhole::platform
