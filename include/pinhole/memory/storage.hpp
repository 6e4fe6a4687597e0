// The untyped half of every buffer: bytes in one placement, and who owns them now.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "pinhole/memory/placement.hpp"
#include "pinhole/platform/retire_list.hpp"
#include "pinhole/platform/stream.hpp"

namespace pinhole::platform {
struct status;
}

namespace pinhole::detail {

struct event;  // a recorded point of a stream, see src/platform/event.hpp

/// Bytes in one placement. Each placement is one class derived from this in src/memory/. The typed
/// buffers own one through storage_handle, whose deleter keeps memory alive while the device may
/// still use it.
///
/// One thread at a time may use a storage; which side may touch the bytes is what the hand-overs
/// say.
class storage : public retirable {
 public:
  ~storage() override;
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

  /// Releases the memory when no stream can still touch it. See retirable.
  bool try_release() noexcept final;

 protected:
  storage(const device& where, placement placed, std::size_t bytes) noexcept;

  // What a placement does beyond bookkeeping. By default, as in the in-place placements, hand-overs
  // move nothing, and host-side access is a copy in host memory.
  virtual void move_to_device(const stream_ref& work, std::size_t first, std::size_t count);
  virtual void move_to_host(const stream_ref& work, std::size_t first, std::size_t count);
  virtual void copy_out(std::size_t first, void* out, std::size_t count) const;
  virtual void copy_in(std::size_t first, const void* in, std::size_t count);
  /// Gives the memory back to the driver; false where that is not permitted now. The device is done
  /// with it. May be called again after it returned false.
  virtual bool release() noexcept = 0;

  device device_;
  placement placed_;
  std::size_t bytes_;
  std::byte* host_ = nullptr;
  std::byte* on_device_ = nullptr;

 private:
  friend struct storage_deleter;
  enum class state { idle, busy, unknown };

  struct use {  // one stream that the storage was handed to
    stream_ref work;
    std::unique_ptr<event> mark;  // made when first needed
    bool on_device = true;        // handed over, and no event recorded since
  };
  use& use_on(const stream_ref& work);
  void forget_ended_uses() noexcept;
  void mark_end_of_use() noexcept;
  [[nodiscard]] platform::status query(const use& one) noexcept;
  [[nodiscard]] state look() noexcept;
  void check(const char* verb, std::size_t first, std::size_t count) const;
  void check(const char* verb, const stream_ref& work) const;

  std::vector<use> uses_;
  unsigned made_in_;  // the fork generation
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
