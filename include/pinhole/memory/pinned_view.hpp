// Memory that another library has pinned, used without owning it.
#pragma once

#include <span>

#include "pinhole/memory/basic_buffer.hpp"
#include "pinhole/memory/concepts.hpp"

namespace pinhole {

namespace detail {
storage_handle make_adopted(const device& where, void* first, std::size_t bytes);
}

/// Adopts a span that lies in memory which is pinned and mapped already: from cudaHostAlloc, a
/// PyTorch pinned tensor, an OpenCV page-locked cv::Mat, or another buffer of ours. It pins
/// nothing, frees nothing and does not count against the budget; the memory must stay pinned while
/// the view lives. Otherwise it is used like mapped_buffer and reports placement::registered.
template <class T>
class pinned_view : public basic_buffer<T> {
 public:
  /// Throws fault::invalid_argument when the span is not pinned (and says to use
  /// registered_buffer), or is device memory.
  pinned_view(const device& where, std::span<T> pinned)
      : basic_buffer<T>(detail::make_adopted(where, pinned.data(), pinned.size_bytes())) {}
};

static_assert(shared_buffer<pinned_view<int>>);

}  // namespace pinhole
