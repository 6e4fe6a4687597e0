// Each primitive is one or two calls of the CUDA runtime.
#include "platform/cuda/cuda_backend.hpp"

#include <memory>
#include <new>
#include <utility>

#include "platform/fences.hpp"
#include "platform/vram/gpu_roads.hpp"

namespace pinhole::platform {

status status_of(cudaError_t result, const char* call) noexcept {
  const auto what = [result] {
    switch (result) {
      case cudaSuccess:
        return outcome::ok;
      case cudaErrorNotReady:
        return outcome::not_ready;
      case cudaErrorInvalidValue:
      case cudaErrorInvalidDevicePointer:
      case cudaErrorInvalidResourceHandle:
      case cudaErrorInvalidConfiguration:
      case cudaErrorInvalidMemcpyDirection:
        return outcome::invalid_value;
      case cudaErrorMemoryAllocation:
        return outcome::out_of_memory;
      case cudaErrorHostMemoryAlreadyRegistered:
        return outcome::already_registered;
      case cudaErrorHostMemoryNotRegistered:
        return outcome::not_registered;
      case cudaErrorNotSupported:
        return outcome::not_supported;
      case cudaErrorNotPermitted:
      case cudaErrorStreamCaptureUnsupported:
      case cudaErrorStreamCaptureImplicit:
        return outcome::not_permitted;
      case cudaErrorCudartUnloading:
      case cudaErrorContextIsDestroyed:
        return outcome::unloading;
      // After these the context is lost: every later call on the device returns the same.
      case cudaErrorIllegalAddress:
      case cudaErrorLaunchFailure:
      case cudaErrorIllegalInstruction:
      case cudaErrorMisalignedAddress:
      case cudaErrorInvalidAddressSpace:
      case cudaErrorInvalidPc:
      case cudaErrorHardwareStackError:
      case cudaErrorAssert:
      case cudaErrorLaunchTimeout:
      case cudaErrorECCUncorrectable:
      case cudaErrorNvlinkUncorrectable:
      case cudaErrorMpsClientTerminated:
      case cudaErrorExternalDevice:
      case cudaErrorTensorMemoryLeak:
      case cudaErrorContained:
      case cudaErrorUnknown:
        return outcome::device_failed;
      default:
        return outcome::failed;
    }
  }();
  return {what, call, cudaGetErrorName(result)};
}

current_device::current_device(int ordinal) noexcept {
  if (cudaGetDevice(&before_) == cudaSuccess && before_ != ordinal) {
    changed_ = cudaSetDevice(ordinal) == cudaSuccess;
  }
}

current_device::~current_device() {
  if (changed_) {
    cudaSetDevice(before_);
  }
}

namespace {

/// A query that is not ready is no error, and must not stay in the last-error slot as one. One that
/// is ready orders what follows behind it: the caller may go on to load from VRAM through
/// write-combining memory, and such loads may otherwise be made before the query's own.
status query_result(cudaError_t result, const char* call) noexcept {
  if (result == cudaSuccess) {
    order_loads();
  }
  if (result == cudaErrorNotReady && cudaPeekAtLastError() == cudaErrorNotReady) {
    cudaGetLastError();
  }
  return status_of(result, call);
}

cudaMemcpyKind kind_of(copy_way way) noexcept {
  return way == copy_way::to_host ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice;
}

/// CUDA 13 gave the name to what CUDA 12 calls _v2.
cudaError_t advise(const void* first, std::size_t bytes, cudaMemoryAdvise what,
                   cudaMemLocation where) noexcept {
#if CUDART_VERSION >= 13000
  return cudaMemAdvise(first, bytes, what, where);
#else
  return cudaMemAdvise_v2(first, bytes, what, where);
#endif
}

void run_and_delete(void* function) {
  const std::unique_ptr<std::function<void()>> owned(static_cast<std::function<void()>*>(function));
  (*owned)();
}

}  // namespace

status cuda_backend::allocate_device(std::size_t bytes, void** out) {
  const current_device current(ordinal_);
  return status_of(cudaMalloc(out, bytes), "cudaMalloc");
}

status cuda_backend::free_device(void* memory) {
  const current_device current(ordinal_);
  return status_of(cudaFree(memory), "cudaFree");
}

status cuda_backend::allocate_host(std::size_t bytes, host_flags flags, void** host,
                                   void** on_device) {
  const current_device current(ordinal_);
  const unsigned how = cudaHostAllocMapped |
                       (flags.write_combined ? cudaHostAllocWriteCombined : 0U) |
                       (flags.portable ? cudaHostAllocPortable : 0U);
  const auto allocated = cudaHostAlloc(host, bytes, how);
  if (allocated != cudaSuccess) {
    return status_of(allocated, "cudaHostAlloc");
  }
  const auto mapped = cudaHostGetDevicePointer(on_device, *host, 0);
  if (mapped != cudaSuccess) {
    cudaFreeHost(*host);
    return status_of(mapped, "cudaHostGetDevicePointer");
  }
  return {};
}

status cuda_backend::free_host(void* memory) {
  const current_device current(ordinal_);
  return status_of(cudaFreeHost(memory), "cudaFreeHost");
}

status cuda_backend::allocate_managed(std::size_t bytes, managed_home home, void** out) {
  const current_device current(ordinal_);
  const auto allocated = cudaMallocManaged(out, bytes, cudaMemAttachGlobal);
  if (allocated != cudaSuccess || home == managed_home::migrating) {
    return status_of(allocated, "cudaMallocManaged");
  }
  auto advised =
      advise(*out, bytes, cudaMemAdviseSetPreferredLocation, {cudaMemLocationTypeHost, 0});
  if (advised == cudaSuccess) {
    advised =
        advise(*out, bytes, cudaMemAdviseSetAccessedBy, {cudaMemLocationTypeDevice, ordinal_});
  }
  if (advised != cudaSuccess) {
    cudaFree(*out);
    *out = nullptr;
  }
  return status_of(advised, "cudaMemAdvise");
}

status cuda_backend::free_managed(void* memory) {
  const current_device current(ordinal_);
  return status_of(cudaFree(memory), "cudaFree");
}

status cuda_backend::prefetch(void* first, std::size_t bytes, copy_way way, native_stream work) {
  const current_device current(ordinal_);
  const cudaMemLocation where = way == copy_way::to_device
                                    ? cudaMemLocation{cudaMemLocationTypeDevice, ordinal_}
                                    : cudaMemLocation{cudaMemLocationTypeHost, 0};
#if CUDART_VERSION >= 13000
  return status_of(cudaMemPrefetchAsync(first, bytes, where, 0, work), "cudaMemPrefetchAsync");
#else
  return status_of(cudaMemPrefetchAsync_v2(first, bytes, where, 0, work), "cudaMemPrefetchAsync");
#endif
}

status cuda_backend::vram_roads(std::vector<vram_road>& into) {
  into = roads_of_gpu(ordinal_).roads();
  clear_last_error();  // what closed roads left there
  return {};
}

status cuda_backend::allocate_vram(std::size_t bytes, vram_block& out) {
  auto result = roads_of_gpu(ordinal_).map(bytes, out);
  if (result.ok()) {
    clear_last_error();
  }
  return result;
}

status cuda_backend::free_vram(const vram_block& block) {
  return roads_of_gpu(ordinal_).unmap(block);
}

status cuda_backend::register_host(void* first, std::size_t bytes, void** on_device) {
  return pin(first, bytes, cudaHostRegisterMapped | cudaHostRegisterPortable, on_device);
}

status cuda_backend::register_read_only(void* first, std::size_t bytes, void** on_device) {
  // With unified addressing it is mapped and portable without saying so.
  return pin(first, bytes, cudaHostRegisterReadOnly, on_device);
}

status cuda_backend::pin(void* first, std::size_t bytes, unsigned how, void** on_device) {
  const current_device current(ordinal_);
  const auto registered = cudaHostRegister(first, bytes, how);
  if (registered != cudaSuccess) {
    return status_of(registered, "cudaHostRegister");
  }
  const auto mapped = cudaHostGetDevicePointer(on_device, first, 0);
  if (mapped != cudaSuccess) {
    cudaHostUnregister(first);
    return status_of(mapped, "cudaHostGetDevicePointer");
  }
  return {};
}

status cuda_backend::unregister_host(void* first) {
  const current_device current(ordinal_);
  return status_of(cudaHostUnregister(first), "cudaHostUnregister");
}

status cuda_backend::classify(const void* address, address_facts& into) {
  const current_device current(ordinal_);
  cudaPointerAttributes facts{};
  into = {};
  const auto result = cudaPointerGetAttributes(&facts, address);
  if (result != cudaSuccess) {
    return status_of(result, "cudaPointerGetAttributes");
  }
  into.on_device = facts.devicePointer;
  switch (facts.type) {
    case cudaMemoryTypeHost:
      into.kind = memory_kind::pinned_host;
      break;
    case cudaMemoryTypeDevice:
      into.kind = memory_kind::device;
      break;
    case cudaMemoryTypeManaged:
      into.kind = memory_kind::managed;
      break;
    default:
      into = {};
  }
  return {};
}

status cuda_backend::create_stream(stream_rank rank, native_stream* out) {
  const current_device current(ordinal_);
  int last = 0;
  int first = 0;
  const auto range = cudaDeviceGetStreamPriorityRange(&last, &first);
  if (range != cudaSuccess) {
    return status_of(range, "cudaDeviceGetStreamPriorityRange");
  }
  return status_of(cudaStreamCreateWithPriority(out, cudaStreamNonBlocking,
                                                rank == stream_rank::first ? first : last),
                   "cudaStreamCreateWithPriority");
}

status cuda_backend::destroy_stream(native_stream work) {
  return status_of(cudaStreamDestroy(work), "cudaStreamDestroy");
}

status cuda_backend::query_stream(native_stream work) {
  const current_device current(ordinal_);
  return query_result(cudaStreamQuery(work), "cudaStreamQuery");
}

status cuda_backend::owns_stream(native_stream work) {
  if (work == nullptr || work == cudaStreamLegacy || work == cudaStreamPerThread) {
    return {};  // one for each device, and every call here makes the device current
  }
  int owner = -1;
  const auto result = cudaStreamGetDevice(work, &owner);
  if (result == cudaSuccess && owner != ordinal_) {
    return {outcome::invalid_value, "cudaStreamGetDevice", "a stream of another device"};
  }
  return status_of(result, "cudaStreamGetDevice");
}

status cuda_backend::create_event(native_event* out) {
  const current_device current(ordinal_);
  cudaEvent_t made = nullptr;
  const auto result = cudaEventCreateWithFlags(&made, cudaEventDisableTiming);
  *out = made;
  return status_of(result, "cudaEventCreateWithFlags");
}

status cuda_backend::destroy_event(native_event mark) {
  return status_of(cudaEventDestroy(static_cast<cudaEvent_t>(mark)), "cudaEventDestroy");
}

status cuda_backend::record_event(native_event mark, native_stream work) {
  const current_device current(ordinal_);
  return status_of(cudaEventRecord(static_cast<cudaEvent_t>(mark), work), "cudaEventRecord");
}

status cuda_backend::wait_event(native_stream work, native_event mark) {
  const current_device current(ordinal_);
  return status_of(cudaStreamWaitEvent(work, static_cast<cudaEvent_t>(mark), 0),
                   "cudaStreamWaitEvent");
}

status cuda_backend::query_event(native_event mark) {
  return query_result(cudaEventQuery(static_cast<cudaEvent_t>(mark)), "cudaEventQuery");
}

status cuda_backend::copy_async(void* to, const void* from, std::size_t bytes, copy_way way,
                                native_stream work) {
  const current_device current(ordinal_);
  return status_of(cudaMemcpyAsync(to, from, bytes, kind_of(way), work), "cudaMemcpyAsync");
}

status cuda_backend::copy_now(void* to, const void* from, std::size_t bytes, copy_way way) {
  const current_device current(ordinal_);
  const auto copied = cudaMemcpy(to, from, bytes, kind_of(way));
  if (copied != cudaSuccess || way != copy_way::to_device) {
    return status_of(copied, "cudaMemcpy");
  }
  return status_of(cudaStreamSynchronize(cudaStreamLegacy), "cudaStreamSynchronize");
}

status cuda_backend::prepare_kernel(const launch_request& what, unsigned& most_blocks) {
  const current_device current(ordinal_);
  cudaFuncAttributes loaded{};
  auto result = cudaFuncGetAttributes(&loaded, what.cuda_kernel);
  if (result != cudaSuccess) {
    return status_of(result, "cudaFuncGetAttributes");
  }
  int multiprocessors = 0;
  result = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, ordinal_);
  if (result != cudaSuccess) {
    return status_of(result, "cudaDeviceGetAttribute");
  }
  int on_each = 0;
  result = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &on_each, what.cuda_kernel, static_cast<int>(what.threads), what.shared_bytes);
  most_blocks = static_cast<unsigned>(on_each) * static_cast<unsigned>(multiprocessors);
  return status_of(result, "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
}

status cuda_backend::launch(const launch_request& what, native_stream work) {
  const current_device current(ordinal_);
  return status_of(cudaLaunchKernel(what.cuda_kernel, dim3(what.blocks), dim3(what.threads),
                                    what.arguments, what.shared_bytes, work),
                   "cudaLaunchKernel");
}

status cuda_backend::call_host(std::function<void()> what, native_stream work) {
  const current_device current(ordinal_);
  auto* const owned = new (std::nothrow) std::function<void()>(std::move(what));
  if (owned == nullptr) {
    return {outcome::out_of_memory, "cudaLaunchHostFunc", "no memory for the function"};
  }
  const auto result = cudaLaunchHostFunc(work, run_and_delete, owned);
  if (result != cudaSuccess) {
    delete owned;
  }
  return status_of(result, "cudaLaunchHostFunc");
}

status cuda_backend::peek_last_error() {
  return status_of(cudaPeekAtLastError(), "cudaPeekAtLastError");
}

void cuda_backend::clear_last_error() {
  static_cast<void>(cudaGetLastError());
}

}  // namespace pinhole::platform
