// A table as rows of equal length.
#pragma once

#include <cstddef>

#include "pinhole/core/error.hpp"
#include "pinhole/core/view.hpp"

namespace pinhole {

/// Rows of `length` elements, each `pitch` elements behind the one before: a table, or a
/// rectangle of a larger one. Trivially copyable; owns nothing.
template <class T>
class rows {
 public:
  /// Throws fault::invalid_argument for a length of 0 and a pitch below the length. Elements at the
  /// end that do not make a row are no part of it.
  rows(view<T> elements, std::size_t length, std::size_t pitch)
      : elements_(elements), length_(length), pitch_(pitch) {
    if (length == 0 || pitch < length) {
      detail::reject("see a view as rows", length == 0 ? "a row of no elements has no place"
                                                       : "the pitch is below the row's length");
    }
  }
  rows(view<T> elements, std::size_t length) : rows(elements, length, length) {}
  /// Of one element each.
  explicit rows(view<T> elements) : rows(elements, 1) {}

  [[nodiscard]] view<T> elements() const noexcept { return elements_; }
  [[nodiscard]] std::size_t length() const noexcept { return length_; }
  [[nodiscard]] std::size_t pitch() const noexcept { return pitch_; }
  /// How many rows there are.
  [[nodiscard]] std::size_t size() const noexcept {
    return elements_.size() < length_ ? 0 : (elements_.size() - length_) / pitch_ + 1;
  }

 private:
  view<T> elements_;
  std::size_t length_;
  std::size_t pitch_;
};

}  // namespace pinhole
