// The boundary: every primitive through which the library reaches a driver or a device. `cuda` and
// `cpu` implement it; tests wrap either in a double that fails call number N.
//
// Rules for all primitives
// - They return a status and never throw. A failing call may leave the runtime's last-error slot
// set,
//   as drivers do: require() and report() in status.hpp clear it.
// - They may be called from any thread, at the same time, except where it is said.
// - The calling thread's current device and context are the same afterwards.
// - "blocks" says whether a call may wait for queued work; "capture" whether it is legal while a
//   stream is being captured into a graph.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pinhole/platform/capabilities.hpp"
#include "pinhole/platform/device.hpp"
#include "pinhole/platform/launch.hpp"
#include "pinhole/platform/vram_roads.hpp"
#include "platform/status.hpp"
#include "platform/vram/vram_block.hpp"

namespace pinhole::platform {

/// What a host or device address belongs to, in the driver's eyes.
enum class memory_kind { unknown, pinned_host, device, managed };

struct address_facts {
  memory_kind kind = memory_kind::unknown;
  void* on_device = nullptr;  ///< address for kernels on this device; null where there is none
};

struct host_flags {
  bool write_combined = false;
  bool portable = false;
};

/// Where managed memory lives: in host memory for good, or where it was touched last.
enum class managed_home { host, migrating };

enum class copy_way {
  to_device,
  to_host,
  send_to_device,  ///< for copy_now(): does not wait for bytes that are on their way
};

using native_stream = CUstream_st*;
using native_event = void*;

class backend {
 public:
  virtual ~backend() = default;

  // ---- identity ------------------------------------------------------------------------------
  [[nodiscard]] virtual device_kind kind() const noexcept = 0;
  /// Fills `into`. Post: every `no` has a reason. Blocks: the first call creates the context.
  virtual status describe(capabilities& into) = 0;

  // ---- memory --------------------------------------------------------------------------------
  /// Pre: bytes > 0. Post: *out is device memory, 256-byte aligned, contents undefined. May
  /// synchronise the device. Capture: no.
  virtual status allocate_device(std::size_t bytes, void** out) = 0;
  /// Pre: from allocate_device, and no queued work uses it. Synchronises the device. Capture: no.
  virtual status free_device(void* memory) = 0;

  /// Pre: bytes > 0. Post: *host is pinned and at least page aligned (256 bytes on small sizes),
  /// *on_device its address for kernels. May synchronise the device. Capture: no.
  virtual status allocate_host(std::size_t bytes, host_flags flags, void** host,
                               void** on_device) = 0;
  /// Pre: from allocate_host, and no queued work uses it. May synchronise the device. Capture: no.
  virtual status free_host(void* memory) = 0;

  /// Pre: bytes > 0. Pins the pages that hold [first, first + bytes). Post on failure: nothing is
  /// pinned. already_registered when any byte of the range is registered. May synchronise. Capture:
  /// no.
  virtual status register_host(void* first, std::size_t bytes, void** on_device) = 0;
  /// The same for pages that may only be read, by the device too. Pre: register_read_only.
  virtual status register_read_only(void* first, std::size_t bytes, void** on_device) = 0;
  /// Pre: from register_host or register_read_only, same `first`; no queued work uses it. May
  /// synchronise. Capture: no.
  virtual status unregister_host(void* first) = 0;

  /// Pre: bytes > 0, managed_concurrent. Post: *out is managed memory, page aligned, at one address
  /// for both sides, with no pages yet. Those of home::host are made in host memory, whoever
  /// touches them first, and are mapped into this device; the others move to who touches them. May
  /// synchronise the device. Capture: no.
  virtual status allocate_managed(std::size_t bytes, managed_home home, void** out) = 0;
  /// Pre: from allocate_managed, and no queued work uses it. Synchronises the device. Capture: no.
  virtual status free_managed(void* memory) = 0;
  /// Queues the move of migrating managed pages to one side; what follows on the stream finds them
  /// there. Pre: bytes > 0. May block while many pages are being moved. Capture: no.
  virtual status prefetch(void* first, std::size_t bytes, copy_way way, native_stream work) = 0;

  /// Fills `into` with the roads by which the host reaches device memory, in the order in which
  /// they are tried; allocate_vram takes the first open one. Slow at first, then from memory. May
  /// synchronise the device. Capture: no.
  virtual status vram_roads(std::vector<vram_road>& into) = 0;
  /// Pre: bytes > 0. Post: device memory that the host reaches too, page aligned on both sides,
  /// contents undefined; it does not live on in a forked child. not_supported when no road is open.
  /// May synchronise the device. Capture: no.
  virtual status allocate_vram(std::size_t bytes, vram_block& out) = 0;
  /// Pre: from allocate_vram, and no queued work uses it. May synchronise the device. Capture: no.
  virtual status free_vram(const vram_block& block) = 0;

  /// What `address` is. Never blocks. Post: `unknown` for memory the driver does not know.
  virtual status classify(const void* address, address_facts& into) = 0;

  // ---- streams and events --------------------------------------------------------------------
  /// Post: a stream that does not synchronise with the legacy default stream.
  virtual status create_stream(stream_rank rank, native_stream* out) = 0;
  /// Queued work still runs. On the CPU device: finishes the queue, hence blocks.
  virtual status destroy_stream(native_stream work) = 0;
  /// ok: all queued work is done, and its effects are visible to the calling thread. not_ready: not
  /// yet. Else what the work failed with. Never blocks. Capture: no.
  virtual status query_stream(native_stream work) = 0;
  /// invalid_value unless `work` is a stream of this device.
  virtual status owns_stream(native_stream work) = 0;

  virtual status create_event(native_event* out) = 0;
  virtual status destroy_event(native_event mark) = 0;
  /// Marks this point of the stream. Capture: yes.
  virtual status record_event(native_event mark, native_stream work) = 0;
  /// What is queued on `work` from here on runs after the work before the mark, which is of this
  /// device too. Never blocks. Capture: yes.
  virtual status wait_event(native_stream work, native_event mark) = 0;
  /// As query_stream, for the work before the mark; ok for an event that was never recorded.
  virtual status query_event(native_event mark) = 0;

  // ---- work ----------------------------------------------------------------------------------
  /// Queues a copy of `bytes` > 0. With pageable host memory it may block until the host's part was
  /// read. Capture: yes with pinned memory.
  virtual status copy_async(void* to, const void* from, std::size_t bytes, copy_way way,
                            native_stream work) = 0;
  /// Copies and returns when the bytes have arrived. Blocks; also waits for the legacy default
  /// stream. With send_to_device it returns as cudaMemcpy does, which from pageable memory is
  /// before they have: work on the legacy default stream sees them, on other streams it need not
  /// yet. Capture: no.
  virtual status copy_now(void* to, const void* from, std::size_t bytes, copy_way way) = 0;
  /// Loads the kernel, so that launching it later loads nothing, and says how many of its blocks
  /// fit on the device at once when nothing else runs. May synchronise the device. Capture: no.
  virtual status prepare_kernel(const launch_request& what, unsigned& most_blocks) = 0;
  /// Queues a kernel. Pre: see launch(). Never blocks. Capture: yes.
  virtual status launch(const launch_request& what, native_stream work) = 0;
  /// Queues a host function. It must not call the library or the driver. Never blocks. Capture:
  /// yes.
  virtual status call_host(std::function<void()> what, native_stream work) = 0;

  // ---- the runtime's last-error slot, one for each thread --------------------------------------
  /// What the slot holds; does not change it.
  virtual status peek_last_error() = 0;
  /// Empties the slot. (A sticky error stays: the device is lost.)
  virtual void clear_last_error() = 0;
};

/// The backends of all GPUs that the runtime shows, in its order; empty where there is none, with
/// the reason in `why`. Never throws for lack of a driver.
struct gpu {
  std::shared_ptr<backend> driver;
  std::string name;
  int ordinal = 0;
};
[[nodiscard]] std::vector<gpu> find_gpus(std::string& why);

/// A CPU device. Streams delay each piece of work by a random time of up to `delay_us` drawn from
/// `seed` when delay_us > 0 (PINHOLE_CPU_DELAY=SEED:MICROSECONDS sets both for device::cpu()).
struct cpu_options {
  unsigned seed = 0;
  unsigned delay_us = 0;
};
[[nodiscard]] std::shared_ptr<backend> make_cpu(const cpu_options& options);

/// A device over a backend of the caller's choice: how tests bring their double.
[[nodiscard]] device make_device(std::shared_ptr<backend> driver, std::string id, std::string name);

}  // namespace pinhole::platform
