// The user's own memory, pinned and mapped in place.
#pragma once

#include <span>

#include "pinhole/memory/basic_buffer.hpp"
#include "pinhole/memory/concepts.hpp"

namespace pinhole {

namespace detail {
storage_handle make_registered(const device& where, void* first, std::size_t bytes);
storage_handle make_owned_registered(const device& where, std::size_t bytes);
}  // namespace detail

/// Pins a span of the user's memory (heap, a std::vector, anonymous or memfd mappings) and maps it
/// for the device. The memory is never freed by the library and must outlive the buffer, which
/// unpins it. Any alignment and length is fine; two disjoint spans in one page are fine; an empty
/// span is an empty buffer.
///
/// Refused, each with its own message: a span that overlaps a registered one (both ranges are
/// named), null with a length, device memory, pages that are read-only or not there, and memory
/// that another library has pinned already (see pinned_view for that).
///
/// Behaves like mapped_buffer from then on. Counts against the pin budget, in whole pages.
template <class T>
class registered_buffer : public basic_buffer<T> {
 public:
  /// Throws fault::invalid_argument, fault::already_registered, fault::over_budget,
  /// fault::out_of_memory, fault::not_supported.
  registered_buffer(const device& where, std::span<T> users)
      : basic_buffer<T>(detail::make_registered(where, users.data(), users.size_bytes())) {}
};

static_assert(shared_buffer<registered_buffer<int>>);

}  // namespace pinhole
