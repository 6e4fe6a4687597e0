// Pinned memory of the library's own, made by the fastest way that the machine has.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "memory/resource.hpp"
#include "pinhole/memory/mapped_buffer.hpp"
#include "pinhole/memory/pin_budget.hpp"
#include "pinhole/platform/device.hpp"

namespace pinhole::detail {

/// Throws fault::not_supported, with the reason, when the device cannot map host memory.
void require_mapping(const device& where, const std::string& asked);

/// Pinned, mapped host memory. Small blocks come from the driver. Large ones are pages of the
/// operating system, huge where it has them, that several threads next to the device touch and
/// register piece by piece: the driver alone would do that with one thread, page by page.
class pinned_block {
 public:
  pinned_block() noexcept = default;
  /// Throws fault::out_of_memory, fault::over_budget, fault::cancelled when options.progress said
  /// so, and what the driver reports; then nothing is pinned or counted. Pre: bytes > 0.
  pinned_block(const device& where, std::size_t bytes, const mapped_options& options,
               const std::string& asked);

  [[nodiscard]] std::byte* host() const noexcept { return host_; }
  [[nodiscard]] std::byte* on_device() const noexcept { return on_device_; }

  /// False where that is not permitted now; may be called again then.
  bool release() noexcept;

 private:
  /// Owns pages of the operating system.
  class own_pages {
   public:
    own_pages() noexcept = default;
    explicit own_pages(std::size_t bytes);  // null where there are none
    own_pages(own_pages&& other) noexcept;
    own_pages& operator=(own_pages&& other) noexcept;
    ~own_pages();
    [[nodiscard]] std::byte* data() const noexcept { return data_; }

   private:
    std::byte* data_ = nullptr;
    std::size_t bytes_ = 0;
  };
  void ask_driver(const device& where, std::size_t bytes, const mapped_options& options,
                  const std::string& asked);
  void pin_pages(const device& where, std::size_t bytes, const mapped_options& options,
                 const std::string& asked);

  // Destroyed from the last to the first: unpinned, given back, no longer counted.
  pin_budget::reservation share_;
  own_pages pages_;
  std::vector<resource> pins_;  // one for each registered piece
  resource from_driver_;
  std::byte* host_ = nullptr;
  std::byte* on_device_ = nullptr;
};

}  // namespace pinhole::detail
