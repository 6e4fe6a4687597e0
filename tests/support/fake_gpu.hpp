// A GPU's driver for the roads to VRAM: its memory is a file in RAM, which others can map as well,
// and each of its calls fails when a test says so.
#pragma once

#include <map>
#include <memory>
#include <string_view>

#include "platform/vram/gpu_calls.hpp"

namespace pinhole::test {

class fake_gpu final : public platform::gpu_calls {
 public:
  fake_gpu();
  ~fake_gpu() override;
  fake_gpu(const fake_gpu&) = delete;             // owns files and mappings
  fake_gpu& operator=(const fake_gpu&) = delete;  // owns files and mappings

  platform::gpu_identity identity{};  ///< of the device that the fake Vulkan loader lists
  bool coherent = false;

  std::string_view failing;  ///< the member function that fails, and with what
  platform::outcome failure = platform::outcome::failed;
  bool device_is_blind = false;  ///< reads what was there before
  bool cpu_is_blind = false;     ///< what the device writes goes elsewhere
  enum class dma_buf { of_memory, that_cannot_be_mapped, without_pages };
  dma_buf exports = dma_buf::of_memory;

  /// As cudaDeviceReset(): memory and imports are gone, and their handles dangle.
  void reset();
  /// How much of its memory, and how many imports, live.
  [[nodiscard]] std::size_t live() const noexcept { return memory_.size() + imports_.size(); }

  platform::status identify(platform::gpu_identity& into) override;
  platform::status is_coherent(bool& into) override;
  platform::status allocate(std::size_t bytes, void*& out) override;
  platform::status allocate_managed(std::size_t bytes, void*& out) override;
  platform::status free(void* memory) override;
  platform::status prefer_device(void* managed, std::size_t bytes) override;
  platform::status map_for_cpu(void* managed, std::size_t bytes) override;
  platform::status move_to_device(void* managed, std::size_t bytes) override;
  platform::status export_dma_buf(void* memory, std::size_t bytes, int& file) override;
  platform::status import_file(int file, std::size_t bytes, void*& imported) override;
  platform::status map_import(void* imported, std::size_t bytes, void*& on_device) override;
  platform::status drop_import(void* imported) override;
  platform::status copy_to_device(void* on_device, const void* from, std::size_t bytes) override;
  platform::status copy_to_host(void* to, const void* on_device, std::size_t bytes) override;

 private:
  class file;
  class mapped_file;
  /// "a fake reason" where `call` is the one that fails.
  [[nodiscard]] platform::status result_of(const char* call) const noexcept;

  std::map<void*, std::unique_ptr<mapped_file>> memory_;  // by address
  std::map<void*, std::unique_ptr<file>> imports_;        // by handle
};

}  // namespace pinhole::test
