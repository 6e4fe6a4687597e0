// A buffer whose placement is chosen at run time.
#pragma once

#include <utility>

#include "pinhole/memory/managed_buffer.hpp"
#include "pinhole/memory/mapped_buffer.hpp"
#include "pinhole/memory/registered_buffer.hpp"
#include "pinhole/memory/staged_buffer.hpp"
#include "pinhole/memory/vram_buffer.hpp"

namespace pinhole {

namespace detail {
storage_handle make_storage(const device& where, std::size_t bytes, placement how);
}

/// Holds what any of the typed buffers holds, so that placement is a value. host() and device()
/// cost what they cost there: nothing virtual is on their path.
template <class T>
class any_buffer : public basic_buffer<T> {
 public:
  /// Takes over a typed buffer, which is empty afterwards.
  any_buffer(basic_buffer<T>&& typed) noexcept  // NOLINT(google-explicit-constructor)
      : basic_buffer<T>(std::move(typed.storage_)) {}

 private:
  template <class U>
  friend any_buffer<U> make_buffer(const device& where, std::size_t count, placement how);
  explicit any_buffer(detail::storage_handle bytes) noexcept : basic_buffer<T>(std::move(bytes)) {}
};

/// `count` elements in the given placement, with that placement's default options. `registered`
/// allocates pageable memory, owns it, and registers it. Throws what the typed buffer would throw.
template <class T>
[[nodiscard]] any_buffer<T> make_buffer(const device& where, std::size_t count, placement how) {
  return any_buffer<T>(
      detail::make_storage(where, checked_bytes(count, sizeof(T), "make a buffer"), how));
}

static_assert(shared_buffer<any_buffer<int>>);

}  // namespace pinhole
