// What kernels receive instead of std::span, whose operator[] does not compile in device code.
#pragma once

#include <cstddef>
#include <type_traits>

#include "pinhole/core/config.hpp"

namespace pinhole {

/// A pointer and a length, usable in host and device code. Owns nothing, is trivially copyable, and
/// costs what a struct of the two fields costs (tests/codegen holds it to that). Indices are not
/// checked.
template <class T>
class view {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;

  constexpr view() noexcept = default;
  PINHOLE_HD constexpr view(T* data, std::size_t size) noexcept : data_(data), size_(size) {}

  /// A view of T converts to a view of const T. (A conversion function would warn under nvcc.)
  template <class U>
    requires(std::is_const_v<T> && std::is_same_v<U, value_type>)
  PINHOLE_HD constexpr view(const view<U>& other) noexcept  // NOLINT(google-explicit-constructor)
      : data_(other.data()), size_(other.size()) {}

  PINHOLE_HD constexpr T& operator[](std::size_t index) const noexcept { return data_[index]; }
  [[nodiscard]] PINHOLE_HD constexpr T* data() const noexcept { return data_; }
  [[nodiscard]] PINHOLE_HD constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] PINHOLE_HD constexpr bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] PINHOLE_HD constexpr T* begin() const noexcept { return data_; }
  [[nodiscard]] PINHOLE_HD constexpr T* end() const noexcept { return data_ + size_; }

  /// Elements [first, first + count). Not checked.
  [[nodiscard]] PINHOLE_HD constexpr view subview(std::size_t first,
                                                  std::size_t count) const noexcept {
    return {data_ + first, count};
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

static_assert(std::is_trivially_copyable_v<view<int>>);

}  // namespace pinhole
