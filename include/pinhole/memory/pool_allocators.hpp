// Pinned memory for containers.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <type_traits>

#include "pinhole/core/units.hpp"
#include "pinhole/memory/pinned_pool.hpp"

namespace pinhole {

/// For std::pmr containers. Memory goes back at once: a container must not be destroyed, nor grow,
/// while queued work uses its elements.
class pinned_resource final : public std::pmr::memory_resource {
 public:
  explicit pinned_resource(const pinned_pool& from) noexcept : pool_(from) {}
  [[nodiscard]] const pinned_pool& pool() const noexcept { return pool_; }

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    return pool_.allocate(bytes, alignment);
  }
  void do_deallocate(void* memory, std::size_t /*bytes*/, std::size_t /*alignment*/) override {
    pool_.deallocate(memory);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    const auto* const same = dynamic_cast<const pinned_resource*>(&other);
    return same != nullptr && same->pool_ == pool_;
  }

  pinned_pool pool_;
};

/// For std::vector and its kin: std::vector<float, pinned_allocator<float>> v(pool). The hazard of
/// pinned_resource holds here too.
template <class T>
class pinned_allocator {
 public:
  using value_type = T;
  // A container that takes over another's elements takes over the pool that they came from.
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;

  pinned_allocator(const pinned_pool& from) noexcept  // NOLINT(google-explicit-constructor)
      : pool_(from) {}
  template <class U>
  pinned_allocator(
      const pinned_allocator<U>& other) noexcept  // NOLINT(google-explicit-constructor)
      : pool_(other.pool()) {}

  [[nodiscard]] T* allocate(std::size_t count) {
    const auto bytes = checked_bytes(count, sizeof(T), "allocate from a pinned pool");
    return static_cast<T*>(pool_.allocate(bytes, alignof(T)));
  }
  void deallocate(T* memory, std::size_t /*count*/) noexcept { pool_.deallocate(memory); }
  [[nodiscard]] const pinned_pool& pool() const noexcept { return pool_; }

  friend bool operator==(const pinned_allocator& a, const pinned_allocator& b) noexcept = default;

 private:
  pinned_pool pool_;
};

}  // namespace pinhole
