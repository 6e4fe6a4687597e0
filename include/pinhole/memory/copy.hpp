// Explicit, blocking copies: what most programs do today, and what comparisons start from.
#pragma once

#include <span>
#include <type_traits>

#include "pinhole/core/error.hpp"
#include "pinhole/core/view.hpp"
#include "pinhole/platform/device.hpp"

namespace pinhole {

namespace detail {
enum class direction { to_device, to_host };
void copy_now(const device& where, void* to, const void* from, std::size_t bytes, direction way);
}  // namespace detail

/// Copies and returns when the bytes have arrived (cudaMemcpy on a GPU; it also waits for work on
/// the legacy default stream, and not for other streams). Pageable host memory is legal. `to` and
/// `from` must have the same size, else fault::invalid_argument.
template <class T>
void copy_to_device(const device& where, view<T> to,
                    std::span<const std::type_identity_t<T>> from) {
  if (to.size() != from.size()) {
    detail::reject("copy to the device", "the two sides have different sizes");
  }
  detail::copy_now(where, to.data(), from.data(), from.size_bytes(), detail::direction::to_device);
}
template <class T>
void copy_to_host(const device& where, std::span<T> to, view<const std::type_identity_t<T>> from) {
  if (to.size() != from.size()) {
    detail::reject("copy to the host", "the two sides have different sizes");
  }
  detail::copy_now(where, to.data(), from.data(), to.size_bytes(), detail::direction::to_host);
}

}  // namespace pinhole
