// GDRCopy, where an administrator has installed its kernel module.
#pragma once

#include "platform/linux/shared_library.hpp"
#include "platform/vram/gpu_road.hpp"

namespace pinhole::platform {

/// Ordinary device memory, pinned and mapped by gdrdrv. The library is opened at run time.
class gdrcopy_road final : public gpu_road {
 public:
  explicit gdrcopy_road(gpu_calls& gpu, const char* library = "libgdrapi.so.2",
                        const char* node = "/dev/gdrdrv")
      : gpu_road(gpu), library_(library), node_(node) {}
  ~gdrcopy_road() override;
  [[nodiscard]] const char* name() const noexcept override { return "GDRCopy"; }
  [[nodiscard]] road_state probe() override;
  status map(std::size_t bytes, vram_block& out) override;
  status unmap(const vram_block& block) override;

 private:
  // As GDRCopy 2 declares them.
  struct memory_handle {
    unsigned long number;
  };
  struct mapped_pin;
  struct functions {
    void* (*open)();
    int (*close)(void*);
    int (*pin)(void*, unsigned long, std::size_t, std::uint64_t, std::uint32_t, memory_handle*);
    int (*unpin)(void*, memory_handle);
    int (*map)(void*, memory_handle, void**, std::size_t);
    int (*unmap)(void*, memory_handle, void*, std::size_t);
  };
  [[nodiscard]] bool find_functions() noexcept;

  shared_library library_;
  const char* node_;
  functions call_{};
  void* session_ = nullptr;
};

}  // namespace pinhole::platform
