// One copy on each side, moved by explicit copies.
#pragma once

#include "pinhole/memory/basic_buffer.hpp"
#include "pinhole/memory/concepts.hpp"

namespace pinhole {

/// Which memory the host's copy is. Pinned memory copies at link rate and asynchronously; pageable
/// memory is what malloc gives, and the driver copies it through a bounce buffer of its own.
enum class host_memory { pinned, pageable };

struct staged_options {
  host_memory host = host_memory::pinned;
};

namespace detail {
storage_handle make_staged(const device& where, std::size_t bytes, const staged_options& options);
}

/// Host memory and device memory of the same size. Hand-overs queue a copy of the range on the
/// stream; nothing else moves bytes. Use it where the device goes over the data again and again,
/// and as the opponent that zero-copy has to beat. read() and write() touch the host's copy.
///
/// Pinned host memory counts against the pin budget. Fresh contents are undefined on both sides.
template <class T>
class staged_buffer : public basic_buffer<T> {
 public:
  /// Throws fault::out_of_memory, fault::over_budget, fault::invalid_argument (size overflow).
  staged_buffer(const device& where, std::size_t count, const staged_options& options = {})
      : basic_buffer<T>(detail::make_staged(
            where, checked_bytes(count, sizeof(T), "make a staged buffer"), options)) {}
};

static_assert(shared_buffer<staged_buffer<int>>);

}  // namespace pinhole
