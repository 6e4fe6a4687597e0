// Device memory that the CPU reaches over the link.
#pragma once

#include "pinhole/memory/basic_buffer.hpp"
#include "pinhole/memory/concepts.hpp"
#include "pinhole/platform/vram_roads.hpp"

namespace pinhole {

struct vram_options {
  /// write() of 1 MiB and more is split over up to this many threads, 1 to 4, the caller counted.
  /// The others exist as long as a buffer that asks for them, and sleep between writes.
  unsigned write_threads = 1;
};

/// Everything that this thread stored through host() so far is on its way to the device before
/// anything that it stores from here on. Costs up to 0.2 us. write() and to_device() do it.
void drain_writes() noexcept;

namespace detail {
storage_handle make_vram(const device& where, std::size_t bytes, const vram_options& options);
}

/// One copy, in device memory, mapped into the CPU's address space; host() and device() are the
/// same bytes. The hand-overs move nothing. Use it for what the CPU writes and the device reads at
/// full speed: messages, parameters, frames.
///
/// Kernels treat it as any device memory. For the CPU host() is ordinary memory with its own costs
/// (measured on an H200 behind PCIe 5 x16, see
/// docs/guide/when-the-cpu-should-write-to-gpu-memory.md):
/// - a store is combined with its neighbours and posted: 0.2 us for up to 256 bytes, one write()
///   after the other, and 16 GB/s from one thread. Small stores in scattered order each become a
///   packet of their own;
/// - a load is a round trip over the link of 1 us for 4 bytes, and 0.8 GB/s from one thread,
///   since nothing is cached. read() is the fast road: streaming loads, and the copy engine from
///   tuning.vram_read_by_engine_from on;
/// - a locked read-modify-write (std::atomic's fetch_add, exchange, compare_exchange; a mutex)
///   locks the bus of the whole machine. Do not use one here; one writer for each word, and plain
///   stores.
///
/// Ordering:
/// - CPU writes, then a kernel that is launched later: to_device() on its stream drains the
///   write-combining buffers of the calling thread, so call it from the thread that wrote;
/// - CPU writes, then a kernel that already runs and polls a word (a doorbell): write() the
///   payload, then write() the doorbell. Each write() drains, so that the doorbell is never seen
///   before the payload. Through host(): store, drain_writes(), store the doorbell, drain_writes().
///   The kernel reads the doorbell with a system-scope acquire;
/// - device writes, then CPU reads: after to_host() and a wait on the stream, whose return orders
///   later loads of the waiting thread.
///
/// Several threads may write ranges that do not overlap at the same time; each drains its own.
///
/// Does not count against the pin budget. Contents are undefined at first, and a forked child does
/// not have the mapping. Small buffers share large blocks, so that one costs a microsecond once the
/// first block is there. Where a mapping is cached (coherent machines, the CPU device) none of the
/// costs above apply.
template <class T>
class vram_buffer : public basic_buffer<T> {
 public:
  /// Throws fault::not_supported where no road leads to the device's memory, with what each of them
  /// lacks (see vram_roads); fault::out_of_memory for more than there is, or than the CPU's window
  /// onto it; fault::invalid_argument (size overflow, write_threads).
  vram_buffer(const pinhole::device& where, std::size_t count, const vram_options& options = {})
      : basic_buffer<T>(detail::make_vram(
            where, checked_bytes(count, sizeof(T), "make a vram buffer"), options)) {}
};

static_assert(shared_buffer<vram_buffer<int>>);

}  // namespace pinhole
