// The untyped half of every buffer: bytes in one placement, and who owns them now.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "pinhole/memory/placement.hpp"
#include "pinhole/platform/stream.hpp"

namespace pinhole::detail {

struct event;  // a recorded point of a stream, see src/memory/event.hpp

/// Bytes in one placement. Each placement is one class derived from this in src/memory/. The typed
/// buffers own one through storage_handle, whose deleter keeps memory alive while the device may
/// still use it.
///
/// One thread at a time may use a storage; which side may touch the bytes is what the hand-overs say.
class storage {
 public:
  virtual ~storage();
  storage(const storage&) = delete;             // owns memory
  storage& operator=(const storage&) = delete;  // owns memory

  [[nodiscard]] const device& where() const noexcept { return device_; }
  [[nodiscard]] placement placed() const noexcept { return placed_; }
  [[nodiscard]] std::byte* host() const noexcept { return host_; }
  [[nodiscard]] std::byte* on_device() const noexcept { return on_device_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  /// Hands [first, first + count) bytes over. Throws fault::invalid_argument for a range past the
  /// end and a stream of another device.
  void to_device(const stream_ref& work, std::size_t first, std::size_t count);
  void to_host(const stream_ref& work, std::size_t first, std::size_t count);
  /// Host-side access for the side that owns the range; blocks.
  void read(std::size_t first, void* out, std::size_t count) const;
  void write(std::size_t first, const void* in, std::size_t count);

  /// True when no stream that the storage was handed to can still touch it. Never throws: a stream
  /// that failed counts as done, since nothing runs on a lost device.
  [[nodiscard]] bool is_idle() noexcept;
  /// Records an event on every stream that still owns bytes, so that is_idle can become true.
  void mark_end_of_use() noexcept;

 protected:
  storage(const device& where, placement placed, std::size_t bytes);

  // What a placement does beyond bookkeeping. The in-place ones do nothing at hand-over.
  virtual void move_to_device(const stream_ref& work, std::size_t first, std::size_t count);
  virtual void move_to_host(const stream_ref& work, std::size_t first, std::size_t count);
  virtual void copy_out(std::size_t first, void* out, std::size_t count) const;
  virtual void copy_in(std::size_t first, const void* in, std::size_t count);

  device device_;
  placement placed_;
  std::size_t bytes_;
  std::byte* host_ = nullptr;
  std::byte* on_device_ = nullptr;

 private:
  struct use {
    stream_ref work;
    std::unique_ptr<event> returned;  // null while the device owns the bytes
  };
  void check_range(const char* verb, std::size_t first, std::size_t count) const;
  void check_stream(const char* verb, const stream_ref& work) const;
  use& use_on(const stream_ref& work);
  std::vector<use> uses_;
};

/// Destroys at once when the host owns the bytes; otherwise waits up to tuning.destroy_wait for the
/// device and past that leaves the storage to the device's retire list. Never throws.
struct storage_deleter {
  void operator()(storage* unwanted) const noexcept;
};
using storage_handle = std::unique_ptr<storage, storage_deleter>;

/// Throws fault::moved_from unless `held` is set.
const storage& held(const storage_handle& held);

}  // namespace pinhole::detail
