// Reads large tables of pinned memory window by window, so that few reads wait for a translation.
#pragma once

#include <cstddef>
#include <memory>

#include "pinhole/access/row_copy.hpp"
#include "pinhole/platform/stream.hpp"

namespace pinhole {

namespace detail {
class device_scratch;
}

/// Give one to gather() in access_options::order where the table is mapped or registered memory and
/// may be larger than tuning.window_from_bytes: the list is then parted by windows of
/// tuning.window_bytes on the device, and the rows of one window are read before those of the next.
/// Results are the same and in the same places; smaller tables are read as without it. Managed
/// memory at home on the host needs none, since it lies in large pages.
///
/// Make one, and use it for many lists: that allocates nothing. Kernels that use it run one after
/// the other, so use it on one stream. One thread at a time.
class index_order {
 public:
  /// Room in device memory for lists of up to `most` indices, 12 bytes for each. Throws what the
  /// driver reports, and fault::invalid_argument for more than 2^32 - 1.
  index_order(const device& where, std::size_t most);
  /// Waits for nothing: what still runs keeps its memory until it is done.
  ~index_order();
  index_order(index_order&& other) noexcept;
  index_order& operator=(index_order&& other) noexcept;

  /// For gather(): queues what puts the list of `what` in order, and lets `what` go by it.
  void arrange(const stream_ref& work, detail::row_copy& what);
  /// For gather(): what was queued on `work` so far uses the memory.
  void used_by(const stream_ref& work);

 private:
  device where_;
  std::size_t most_;
  std::unique_ptr<detail::device_scratch> scratch_;
};

}  // namespace pinhole
