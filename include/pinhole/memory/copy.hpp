// Explicit, blocking copies: what most programs do today, and what comparisons start from.
#pragma once

#include <span>
#include <type_traits>

#include "pinhole/core/error.hpp"
#include "pinhole/core/view.hpp"
#include "pinhole/platform/device.hpp"

namespace pinhole {

namespace detail {
enum class direction { to_device, to_host, send_to_device };
void copy_now(const device& where, void* to, const void* from, std::size_t bytes, direction way);
}  // namespace detail

/// Copies and returns when the bytes have arrived, for every stream (on a GPU: cudaMemcpy, which
/// also waits for work on the legacy default stream, and not for other streams; and the wait for
/// bytes on their way that cudaMemcpy from pageable memory leaves out). Pageable host memory is
/// legal. `to` and `from` must have the same size, else fault::invalid_argument.
template <class T>
void copy_to_device(const device& where, view<T> to,
                    std::span<const std::type_identity_t<T>> from) {
  if (to.size() != from.size()) {
    detail::reject("copy to the device", "the two sides have different sizes");
  }
  detail::copy_now(where, to.data(), from.data(), from.size_bytes(), detail::direction::to_device);
}
/// The same as cudaMemcpy does it: from pageable memory it returns when `from` may be written
/// again, while the bytes may still be on their way. Work that is queued on the legacy default
/// stream afterwards sees them; work on any other stream need not, so prefer copy_to_device().
template <class T>
void send_to_device(const device& where, view<T> to,
                    std::span<const std::type_identity_t<T>> from) {
  if (to.size() != from.size()) {
    detail::reject("send to the device", "the two sides have different sizes");
  }
  detail::copy_now(where, to.data(), from.data(), from.size_bytes(),
                   detail::direction::send_to_device);
}
template <class T>
void copy_to_host(const device& where, std::span<T> to, view<const std::type_identity_t<T>> from) {
  if (to.size() != from.size()) {
    detail::reject("copy to the host", "the two sides have different sizes");
  }
  detail::copy_now(where, to.data(), from.data(), to.size_bytes(), detail::direction::to_host);
}

}  // namespace pinhole
