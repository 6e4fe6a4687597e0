// The user's own memory, pinned and mapped in place.
#pragma once

#include <span>

#include "pinhole/memory/basic_buffer.hpp"
#include "pinhole/memory/concepts.hpp"

namespace pinhole {

class pin_budget;

/// What becomes of a span that lies within a range which is registered already: it is refused, or,
/// when both buffers say `counted`, it shares that registration, which lasts until the last of its
/// buffers ends.
enum class repeated { refused, counted };

struct registered_options {
  repeated again = repeated::refused;
  pin_budget* budget = nullptr;  ///< the part that pays; null: the process's
};

namespace detail {
storage_handle make_registered(const device& where, void* first, std::size_t bytes,
                               const registered_options& options);
storage_handle make_owned_registered(const device& where, std::size_t bytes);
}  // namespace detail

/// Pins a span of the user's memory (heap, a std::vector, anonymous or memfd mappings) and maps it
/// for the device. The memory is never freed by the library and must outlive the buffer, which
/// unpins it. Any alignment and length is fine; two disjoint spans in one page are fine; an empty
/// span is an empty buffer.
///
/// Memory that is freed while it is registered stays pinned until the buffer ends, and what is
/// mapped at its place later cannot be registered before: the message says so.
///
/// Refused, each with its own message: a span that overlaps a registered one (both ranges are
/// named; see registered_options::again), null with a length, device memory, pages that are
/// read-only or not there, and memory that another library has pinned already (see pinned_view for
/// that).
///
/// Behaves like mapped_buffer from then on. Counts against the pin budget, in whole pages.
template <class T>
class registered_buffer : public basic_buffer<T> {
 public:
  /// Throws fault::invalid_argument, fault::already_registered, fault::over_budget,
  /// fault::out_of_memory, fault::not_supported.
  registered_buffer(const device& where, std::span<T> users, const registered_options& options = {})
      : basic_buffer<T>(detail::make_registered(where, users.data(), users.size_bytes(), options)) {
  }
};

/// The range that a registered_buffer of this process covers and `address` lies in; empty when
/// there is none. Takes time logarithmic in their number. May be called from any
/// thread; the answer holds as long as that buffer does.
[[nodiscard]] std::span<const std::byte> registered_range(const void* address);

static_assert(shared_buffer<registered_buffer<int>>);

}  // namespace pinhole
