// Pinned host memory that the device reaches over the link.
#pragma once

#include <functional>

#include "pinhole/memory/basic_buffer.hpp"
#include "pinhole/memory/concepts.hpp"

namespace pinhole {

class pin_budget;

/// How the CPU caches the memory. Write-combined memory is written in full lines without reading
/// them first, and is very slow for the CPU to read: for data that the host only writes.
enum class host_caching { cached, write_combined };
/// Which GPUs may use the memory.
enum class visibility { this_device, all_devices };

struct mapped_options {
  host_caching caching = host_caching::cached;
  visibility visible_to = visibility::this_device;
  pin_budget* budget = nullptr;  ///< the part that pays; null: the process's
  /// Called now and then by the thread that pins large memory, with the share that is done, 0 to 1.
  /// False cancels: fault::cancelled is thrown and nothing stays pinned.
  std::function<bool(double done)> progress = {};
};

namespace detail {
storage_handle make_mapped(const device& where, std::size_t bytes, const mapped_options& options);
}

/// One copy, in pinned host memory; host() and device() are the same bytes. The hand-overs move
/// nothing. Use it for data that each side touches once or sparsely: every device access crosses
/// the link, in packets of 128 bytes at most, with about 1.2 us for a round trip. The device caches
/// what it reads only for the length of a kernel, if at all.
///
/// Ordering: what the host wrote before to_device is visible to kernels queued on that stream
/// afterwards; what a kernel wrote is visible to the host after to_host and a wait. While a kernel
/// runs the host must not touch the elements (signal/ has what may be used then).
///
/// Large memory (tuning.pin_pages_from) is pinned many times faster than cudaHostAlloc does it:
/// huge pages, which several threads touch just ahead of the driver. A forked child does not have
/// it.
///
/// Counts against the pin budget. Fresh contents are zero-filled on the CPU device and undefined on
/// a GPU.
template <class T>
class mapped_buffer : public basic_buffer<T> {
 public:
  /// Throws fault::out_of_memory, fault::over_budget, fault::not_supported (a device that cannot
  /// map host memory), fault::invalid_argument (size overflow), fault::cancelled.
  mapped_buffer(const device& where, std::size_t count, const mapped_options& options = {})
      : basic_buffer<T>(detail::make_mapped(
            where, checked_bytes(count, sizeof(T), "make a mapped buffer"), options)) {}
};

static_assert(shared_buffer<mapped_buffer<int>>);

}  // namespace pinhole
