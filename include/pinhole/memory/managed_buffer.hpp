// Managed memory with a home: tables that are too large for the device to reach page by page.
#pragma once

#include "pinhole/memory/basic_buffer.hpp"
#include "pinhole/memory/concepts.hpp"

namespace pinhole {

class pin_budget;

/// Where managed memory lives. At home on the `host` it stays there and the device reaches it over
/// the link, through pages of 2 MiB. `migrating` pages move to the side that touches them, and the
/// hand-overs move their ranges ahead.
enum class home { host, migrating };

struct managed_options {
  pinhole::home home = pinhole::home::host;
  pin_budget* budget = nullptr;  ///< of home::host; null: the process's
};

namespace detail {
storage_handle make_managed(const device& where, std::size_t bytes, const managed_options& options);
}

/// CUDA managed memory; host() and device() are the same address. At home on the host it does what
/// mapped_buffer does, and one thing more: random access keeps the rate of the link over gigabytes.
/// A mapped buffer is mapped into the device in small pages, whose translations the device can keep
/// for a few hundred MiB at a time; past that each access waits for one
/// (see docs/guide/tables-larger-than-the-page-reach.md).
///
/// Its pages are made when it is, by several threads next to the device (tuning.pin_threads).
/// Fresh contents are undefined.
///
/// Ordering is that of mapped_buffer. home::host counts against the pin budget: nothing else can
/// have the memory, even though the kernel could in principle page it out. home::migrating does
/// not.
///
/// Needs a device that lets CPU and GPU touch managed memory at the same time (managed concurrent
/// access, see `pinhole info`).
template <class T>
class managed_buffer : public basic_buffer<T> {
 public:
  /// Throws fault::not_supported with the reason, fault::out_of_memory, fault::over_budget,
  /// fault::invalid_argument (size overflow).
  managed_buffer(const pinhole::device& where, std::size_t count,
                 const managed_options& options = {})
      : basic_buffer<T>(detail::make_managed(
            where, checked_bytes(count, sizeof(T), "make a managed buffer"), options)) {}
};

static_assert(shared_buffer<managed_buffer<int>>);

}  // namespace pinhole
