// Disjoint ranges of addresses, found by any address inside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace pinhole::platform {

struct address_range {
  std::uintptr_t first = 0;
  std::size_t bytes = 0;
  [[nodiscard]] std::uintptr_t end() const noexcept { return first + bytes; }
};

/// Not synchronised. Every operation takes time logarithmic in the number of ranges.
class range_map {
 public:
  /// The range that shares a byte with [first, first + bytes), if there is one.
  [[nodiscard]] std::optional<address_range> overlapping(const void* first,
                                                         std::size_t bytes) const {
    const auto low = reinterpret_cast<std::uintptr_t>(first);
    auto next = ranges_.lower_bound(low);
    if (next != ranges_.end() && next->first < low + bytes) {
      return address_range{next->first, next->second};
    }
    if (next != ranges_.begin()) {
      --next;
      if (next->first + next->second > low) {
        return address_range{next->first, next->second};
      }
    }
    return std::nullopt;
  }

  /// Pre: overlapping() is empty and bytes > 0.
  void insert(const void* first, std::size_t bytes) {
    ranges_.emplace(reinterpret_cast<std::uintptr_t>(first), bytes);
  }
  /// True when a range began at exactly this address.
  bool erase(const void* first) {
    return ranges_.erase(reinterpret_cast<std::uintptr_t>(first)) != 0;
  }
  [[nodiscard]] std::size_t size() const noexcept { return ranges_.size(); }

 private:
  std::map<std::uintptr_t, std::size_t> ranges_;
};

}  // namespace pinhole::platform
