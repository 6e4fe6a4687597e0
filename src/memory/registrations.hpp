// Which ranges of the user's memory the process has registered through this library.
#pragma once

#include <cstddef>
#include <string>

namespace pinhole::detail {

/// "[0x7f12a000, 0x7f12b000)", for messages.
[[nodiscard]] std::string range_text(const void* first, std::size_t bytes);

/// A place in the process-wide map of registered ranges, given back on destruction.
class registration {
 public:
  registration() noexcept = default;
  /// Throws fault::already_registered, naming both ranges, when they share a byte. Pre: bytes > 0.
  registration(const void* first, std::size_t bytes, const std::string& asked);
  registration(registration&& other) noexcept;
  registration& operator=(registration&& other) noexcept;
  ~registration();

 private:
  const void* first_ = nullptr;
};

}  // namespace pinhole::detail
