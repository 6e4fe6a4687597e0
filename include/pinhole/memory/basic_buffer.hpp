// The members that all buffers share. Users name the placements: staged_buffer, mapped_buffer, ...
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>

#include "pinhole/core/units.hpp"
#include "pinhole/core/view.hpp"
#include "pinhole/memory/storage.hpp"

namespace pinhole {

/// A typed face over a storage. Moves, never copies; sizes and positions are in elements. Zero
/// elements are legal. Every member but size() throws fault::moved_from after a move.
template <class T>
class basic_buffer {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>,
                "buffers hold trivially copyable, non-const elements: the other side sees only "
                "bytes, and pointers inside would not mean the same there");

 public:
  using value_type = T;

  /// The host's side. Writing through it is legal while the host owns the elements; that is so
  /// until to_device, and again once to_host was waited for.
  [[nodiscard]] std::span<T> host() const {
    const auto& bytes = detail::held(storage_);
    return {reinterpret_cast<T*>(bytes.host()), size()};
  }
  /// The device's side, for kernels. Valid until the buffer is destroyed.
  [[nodiscard]] view<T> device() const {
    const auto& bytes = detail::held(storage_);
    return {reinterpret_cast<T*>(bytes.on_device()), size()};
  }
  [[nodiscard]] std::size_t size() const noexcept {
    return storage_ ? storage_->bytes() / sizeof(T) : 0;
  }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] placement placed() const { return detail::held(storage_).placed(); }
  [[nodiscard]] const pinhole::device& where() const { return detail::held(storage_).where(); }

  /// Hands all elements, or [first, first + count), to the device, in the order of `work`: kernels
  /// queued on it afterwards see what the host wrote before. In-place placements make no driver
  /// call; `staged` queues a copy. Throws fault::invalid_argument for a range past the end or a
  /// stream of another device.
  void to_device(const stream_ref& work) { to_device(work, 0, size()); }
  void to_device(const stream_ref& work, std::size_t first, std::size_t count) {
    mine().to_device(work, scaled(first), scaled(count));
  }
  /// Hands them back: after a wait on `work` the host sees what kernels wrote before. `staged`
  /// queues a copy; all placements record an event. Throws as to_device does.
  void to_host(const stream_ref& work) { to_host(work, 0, size()); }
  void to_host(const stream_ref& work, std::size_t first, std::size_t count) {
    mine().to_host(work, scaled(first), scaled(count));
  }

  /// Copies elements from `first` on into `out`, or `in` into them, on the host's side; blocks.
  /// Legal while the host owns them. Throws fault::invalid_argument for a range past the end.
  void read(std::size_t first, std::span<T> out) const {
    detail::held(storage_).read(scaled(first), out.data(), out.size_bytes());
  }
  void write(std::size_t first, std::span<const T> in) {
    mine().write(scaled(first), in.data(), in.size_bytes());
  }

 protected:
  explicit basic_buffer(detail::storage_handle bytes) noexcept : storage_(std::move(bytes)) {}

 private:
  template <class U>
  friend class any_buffer;
  static std::size_t scaled(std::size_t n) {
    return checked_bytes(n, sizeof(T), "address elements");
  }
  detail::storage& mine() {
    (void)detail::held(storage_);
    return *storage_;
  }
  detail::storage_handle storage_;
};

}  // namespace pinhole
