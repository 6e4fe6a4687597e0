// A file that kernels read where the page cache holds it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "pinhole/core/units.hpp"
#include "pinhole/memory/basic_buffer.hpp"
#include "pinhole/memory/concepts.hpp"

namespace pinhole {

class pin_budget;

/// What to do where a file's pages cannot be pinned: refuse, with the reason, or read the file into
/// a pinned buffer. A copy is never made unless it is asked for.
enum class fallback { refuse, copy };

struct file_options {
  std::uint64_t first_byte = 0;  ///< where the range begins: at any multiple of T's alignment
  std::size_t bytes = std::numeric_limits<std::size_t>::max();  ///< its length; or up to the end
  fallback otherwise = fallback::refuse;
  bool read_ahead = true;        ///< tells the kernel that all of the range will be needed
  pin_budget* budget = nullptr;  ///< the part that pays; null: the process's
};

namespace detail {
enum class file_form { read_only, own_pages, shared };
storage_handle make_mapped_file(const device& where, const std::string& path, std::size_t alignment,
                                const file_options& options, file_form form);
}  // namespace detail

/// A regular file, or a range of it, in place: the pages of the page cache, pinned and mapped for
/// the device, read-only on both sides. No byte is copied (unless fallback::copy had to; then
/// placed() says `mapped`, else `registered`). Bytes at the end that make no whole T are left out.
/// A readable_buffer; counts against the pin budget in whole pages.
///
/// Who changes the file while it is mapped changes what kernels read. When it becomes shorter, the
/// device keeps what it had, since the pages are pinned; read() throws fault::io; and touching the
/// missing part through host() ends the process with SIGBUS, which no library can prevent.
template <class T>
class mapped_file {
  static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>,
                "files hold trivially copyable elements");

 public:
  using value_type = T;

  /// Throws fault::io for a file that cannot be opened or mapped; fault::invalid_argument for what
  /// is no regular file, a range past its end, or an offset that T's alignment forbids;
  /// fault::not_supported where pages of this file cannot be pinned; fault::over_budget.
  mapped_file(const pinhole::device& where, const std::string& path,
              const file_options& options = {})
      : storage_(detail::make_mapped_file(where, path, alignof(T), options,
                                          detail::file_form::read_only)) {}

  [[nodiscard]] std::span<const T> host() const {
    const auto& bytes = detail::held(storage_);
    return {reinterpret_cast<const T*>(bytes.host()), size()};
  }
  [[nodiscard]] view<const T> device() const {
    const auto& bytes = detail::held(storage_);
    return {reinterpret_cast<const T*>(bytes.on_device()), size()};
  }
  [[nodiscard]] std::size_t size() const noexcept {
    return storage_ ? storage_->bytes() / sizeof(T) : 0;
  }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] placement placed() const { return detail::held(storage_).placed(); }
  [[nodiscard]] const pinhole::device& where() const { return detail::held(storage_).where(); }

  // As in every buffer, see basic_buffer.
  void to_device(const stream_ref& work) { to_device(work, 0, size()); }
  void to_device(const stream_ref& work, std::size_t first, std::size_t count) {
    mine().to_device(work, scaled(first), scaled(count));
  }
  void to_host(const stream_ref& work) { to_host(work, 0, size()); }
  void to_host(const stream_ref& work, std::size_t first, std::size_t count) {
    mine().to_host(work, scaled(first), scaled(count));
  }
  void read(std::size_t first, std::span<T> out) const {
    detail::held(storage_).read(scaled(first), out.data(), out.size_bytes());
  }

 private:
  static std::size_t scaled(std::size_t n) {
    return checked_bytes(n, sizeof(T), "address elements");
  }
  detail::storage& mine() {
    (void)detail::held(storage_);
    return *storage_;
  }
  detail::storage_handle storage_;
};

static_assert(readable_buffer<mapped_file<int>>);

/// The same for writing, by both sides: pages that are written become this process's own, and the
/// file stays as it is. Pinning makes all pages its own, hence copies them once.
template <class T>
class private_file : public basic_buffer<T> {
 public:
  /// Throws as mapped_file does.
  private_file(const pinhole::device& where, const std::string& path,
               const file_options& options = {})
      : basic_buffer<T>(detail::make_mapped_file(where, path, alignof(T), options,
                                                 detail::file_form::own_pages)) {}
};

static_assert(shared_buffer<private_file<int>>);

/// A file in memory that other processes see and write too: in /dev/shm, or a memfd by the name
/// "/proc/self/fd/N". Pages of file systems on disks cannot be pinned for writing: there it throws
/// fault::not_supported. Never a copy, which would not be shared: with fallback::copy it throws
/// fault::invalid_argument. Who may write when is for the processes to agree on.
template <class T>
class shared_file : public basic_buffer<T> {
 public:
  /// Throws as mapped_file does otherwise.
  shared_file(const pinhole::device& where, const std::string& path,
              const file_options& options = {})
      : basic_buffer<T>(detail::make_mapped_file(where, path, alignof(T), options,
                                                 detail::file_form::shared)) {}
};

static_assert(shared_buffer<shared_file<int>>);

}  // namespace pinhole
