// A table as rows of equal length.
#pragma once

#include <cstddef>
#include <type_traits>

#include "pinhole/core/config.hpp"
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

/// The elements of rows as one range, row behind row, without what lies between them.
template <class T>
class rows_in_order {
 public:
  using value_type = std::remove_const_t<T>;
  explicit rows_in_order(const rows<T>& of)
      : first_(of.elements().data()),
        length_(of.length()),
        pitch_(of.pitch()),
        size_(of.size() * of.length()) {}
  PINHOLE_HD T& operator[](std::size_t i) const {
    return first_[i / length_ * pitch_ + i % length_];
  }
  [[nodiscard]] PINHOLE_HD std::size_t size() const { return size_; }

 private:
  T* first_;
  std::size_t length_;
  std::size_t pitch_;
  std::size_t size_;
};

}  // namespace pinhole
