// The driver that the roads to VRAM use: the CUDA runtime.
#pragma once

#include "platform/vram/gpu_calls.hpp"

namespace pinhole::platform {

class cuda_calls final : public gpu_calls {
 public:
  explicit cuda_calls(int ordinal) noexcept : ordinal_(ordinal) {}

  status identify(gpu_identity& into) override;
  status is_coherent(bool& into) override;
  status allocate(std::size_t bytes, void*& out) override;
  status allocate_managed(std::size_t bytes, void*& out) override;
  status free(void* memory) override;
  status prefer_device(void* managed, std::size_t bytes) override;
  status map_for_cpu(void* managed, std::size_t bytes) override;
  status move_to_device(void* managed, std::size_t bytes) override;
  status export_dma_buf(void* memory, std::size_t bytes, int& file) override;
  status import_file(int file, std::size_t bytes, void*& imported) override;
  status map_import(void* imported, std::size_t bytes, void*& on_device) override;
  status drop_import(void* imported) override;
  status copy_to_device(void* on_device, const void* from, std::size_t bytes) override;
  status copy_to_host(void* to, const void* on_device, std::size_t bytes) override;

 private:
  int ordinal_;
};

}  // namespace pinhole::platform
