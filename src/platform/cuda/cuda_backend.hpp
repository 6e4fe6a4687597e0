// One GPU, through the CUDA runtime.
#pragma once

#include <cuda_runtime_api.h>

#include "platform/platform.hpp"

namespace pinhole::platform {

/// What a runtime error means to the layers above; `call` must live for ever.
[[nodiscard]] status status_of(cudaError_t result, const char* call) noexcept;

/// Makes a device current for the calling thread, and puts back what was current before.
class current_device {
 public:
  explicit current_device(int ordinal) noexcept;
  ~current_device();
  current_device(const current_device&) = delete;
  current_device& operator=(const current_device&) = delete;

 private:
  int before_ = -1;
  bool changed_ = false;
};

class cuda_backend final : public backend {
 public:
  explicit cuda_backend(int ordinal) noexcept : ordinal_(ordinal) {}

  [[nodiscard]] device_kind kind() const noexcept override { return device_kind::cuda; }
  status describe(capabilities& into) override;

  status allocate_device(std::size_t bytes, void** out) override;
  status free_device(void* memory) override;
  status allocate_host(std::size_t bytes, host_flags flags, void** host, void** on_device) override;
  status free_host(void* memory) override;
  status allocate_managed(std::size_t bytes, managed_home home, void** out) override;
  status free_managed(void* memory) override;
  status prefetch(void* first, std::size_t bytes, copy_way way, native_stream work) override;
  status vram_roads(std::vector<vram_road>& into) override;
  status allocate_vram(std::size_t bytes, vram_block& out) override;
  status free_vram(const vram_block& block) override;
  status register_host(void* first, std::size_t bytes, void** on_device) override;
  status register_read_only(void* first, std::size_t bytes, void** on_device) override;
  status unregister_host(void* first) override;
  status classify(const void* address, address_facts& into) override;

  status create_stream(stream_rank rank, native_stream* out) override;
  status destroy_stream(native_stream work) override;
  status query_stream(native_stream work) override;
  status owns_stream(native_stream work) override;
  status create_event(native_event* out) override;
  status destroy_event(native_event mark) override;
  status record_event(native_event mark, native_stream work) override;
  status wait_event(native_stream work, native_event mark) override;
  status query_event(native_event mark) override;

  status copy_async(void* to, const void* from, std::size_t bytes, copy_way way,
                    native_stream work) override;
  status copy_now(void* to, const void* from, std::size_t bytes, copy_way way) override;
  status prepare_kernel(const launch_request& what, unsigned& most_blocks) override;
  status launch(const launch_request& what, native_stream work) override;
  status call_host(std::function<void()> what, native_stream work) override;

  status peek_last_error() override;
  void clear_last_error() override;

 private:
  status pin(void* first, std::size_t bytes, unsigned how, void** on_device);
  int ordinal_;
};

}  // namespace pinhole::platform
