// Pinned memory for containers and algorithms of CCCL 2.7 to 3.0. Not part of pinhole.hpp, since it
// needs CCCL's headers, whose memory resources are experimental.
#pragma once

#ifndef LIBCUDACXX_ENABLE_EXPERIMENTAL_MEMORY_RESOURCE
#define LIBCUDACXX_ENABLE_EXPERIMENTAL_MEMORY_RESOURCE
#endif
#include <cuda/memory_resource>
#include <cuda/stream_ref>

#include <cstddef>

#include "pinhole/core/error.hpp"
#include "pinhole/memory/pinned_pool.hpp"
#include "pinhole/platform/capabilities.hpp"

namespace pinhole {

/// A pinned_pool as a memory resource that host and device may reach at the same address. Copies
/// mean the same pool, and are equal.
///
/// Memory from deallocate() goes back at once: no queued work may use it. With a stream it goes
/// back when the work on it so far is done; the stream is of the pool's device.
class cccl_resource {
 public:
  /// Throws fault::not_supported where the device sees pinned memory at another address.
  explicit cccl_resource(const pinned_pool& from) : pool_(from) {
    if (const auto& able = from.where().capabilities().same_pointer_registered; !able) {
      throw error({.kind = fault::not_supported,
                   .asked = "use a pinned pool as a resource of CCCL",
                   .call = {},
                   .status = able.reason,
                   .remedy = able.remedy,
                   .sticky = false,
                   .survives = {}});
    }
  }
  [[nodiscard]] const pinned_pool& pool() const noexcept { return pool_; }

  // Throw what the pool's members throw.
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = usual_alignment) {
    return pool_.allocate(bytes, alignment);
  }
  void deallocate(void* memory, std::size_t /*bytes*/,
                  std::size_t /*alignment*/ = usual_alignment) noexcept {
    pool_.deallocate(memory);
  }
  [[nodiscard]] void* allocate_async(std::size_t bytes, std::size_t alignment,
                                     cuda::stream_ref /*work*/) {
    return pool_.allocate(bytes, alignment);  // nothing uses it any more, so it may be used at once
  }
  [[nodiscard]] void* allocate_async(std::size_t bytes, cuda::stream_ref work) {
    return allocate_async(bytes, usual_alignment, work);
  }
  void deallocate_async(void* memory, std::size_t /*bytes*/, std::size_t /*alignment*/,
                        cuda::stream_ref work) {
    pool_.deallocate(memory, stream_ref(pool_.where(), work.get()));
  }
  void deallocate_async(void* memory, std::size_t bytes, cuda::stream_ref work) {
    deallocate_async(memory, bytes, usual_alignment, work);
  }

  friend bool operator==(const cccl_resource& a, const cccl_resource& b) noexcept = default;
  friend void get_property(const cccl_resource& /*of*/, cuda::mr::host_accessible) noexcept {}
  friend void get_property(const cccl_resource& /*of*/, cuda::mr::device_accessible) noexcept {}

 private:
  static constexpr std::size_t usual_alignment = 64;
  pinned_pool pool_;
};

}  // namespace pinhole
