// Pinned memory for many short lives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "pinhole/memory/basic_buffer.hpp"
#include "pinhole/memory/concepts.hpp"

namespace pinhole {

class pin_budget;
class pinned_pool;

namespace detail {
class pool_core;
storage_handle make_pooled(const pinned_pool& from, std::size_t bytes);
}  // namespace detail

struct pool_options {
  pin_budget* budget =
      nullptr;  ///< the part that pays for what the pool holds; null: the process's
  /// About what small pieces are cut from.
  std::size_t block_bytes = std::size_t{1} << 20U;
};

/// A pool's state at one moment.
struct pool_statistics {
  std::size_t held_bytes = 0;  ///< pinned by the pool, and what counts against the budget
  std::size_t lent_bytes = 0;  ///< of these, in use or waiting for work that uses them
  std::size_t lent = 0;        ///< requests that lent_bytes serve
  std::size_t waiting = 0;     ///< of these, given back while work could still use them
  std::uint64_t hits = 0;      ///< requests that took no driver call
  std::uint64_t misses = 0;    ///< requests that had to pin
};

/// Keeps pinned, mapped memory for later requests, since pinning is slow and taking a
/// piece from here needs no driver call. Sizes are rounded up to one of eight classes between
/// powers of two, which wastes at most 12.5 % (and up to 63 bytes of small ones). Pieces of less
/// than pool_options::block_bytes share blocks of about that size.
///
/// Nothing goes back to the system until trim() or the pool's end. A pool belongs to one device,
/// and large blocks lie next to it. A handle: copies mean the same pool, which lives as long as one
/// of them or a buffer made from it. All members may be called from any thread.
class pinned_pool {
 public:
  explicit pinned_pool(const device& where, const pool_options& options = {});

  /// Memory that the host and, at device_address(), kernels of the device may use. Throws
  /// fault::over_budget, fault::out_of_memory, fault::not_supported; fault::invalid_argument for an
  /// alignment that is no power of two or more than 4096.
  [[nodiscard]] void* allocate(std::size_t bytes, std::size_t alignment = 64) const;
  /// Takes memory back at once: no queued work uses it any more. `memory` is from allocate() of
  /// this pool; what is not is reported to the cleanup handler and left alone.
  void deallocate(void* memory) const noexcept;
  /// Takes memory back when all that was queued on `work` so far is done. Never waits. Throws what
  /// the driver reports; then the memory is still the caller's.
  void deallocate(void* memory, const stream_ref& work) const;
  /// Where kernels find what the host sees at `memory`, which points into memory from allocate().
  /// Throws fault::invalid_argument when it does not.
  [[nodiscard]] void* device_address(const void* memory) const;

  /// Unpins all blocks of which nothing is lent; returns how many bytes that were.
  std::size_t trim() const;
  [[nodiscard]] pool_statistics statistics() const;
  [[nodiscard]] const device& where() const noexcept;

  // Copies only: a moved-from pool would be a null handle, which an allocator must never hold.
  pinned_pool(const pinned_pool&) = default;
  pinned_pool& operator=(const pinned_pool&) = default;
  ~pinned_pool() = default;

  friend bool operator==(const pinned_pool& a, const pinned_pool& b) noexcept = default;

 private:
  friend detail::storage_handle detail::make_pooled(const pinned_pool&, std::size_t);
  std::shared_ptr<detail::pool_core> core_;
};

/// A mapped buffer whose memory comes from a pool and goes back to it, as every buffer's, when the
/// work that uses it is done. Otherwise it is a mapped_buffer, and says so by its placement.
template <class T>
class pooled_buffer : public basic_buffer<T> {
 public:
  /// Throws what pinned_pool::allocate() throws. Contents are undefined.
  pooled_buffer(const pinned_pool& from, std::size_t count)
      : basic_buffer<T>(
            detail::make_pooled(from, checked_bytes(count, sizeof(T), "make a pooled buffer"))) {}
};

static_assert(shared_buffer<pooled_buffer<int>>);

}  // namespace pinhole
