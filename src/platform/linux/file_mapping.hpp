// A range of a file in the address space.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace pinhole::platform {

enum class file_access {
  shared_read_only,  ///< the page cache's own pages
  private_writable,  ///< pages of this process alone from the first write on
  shared_writable,   ///< the page cache's own pages, for writing too
};

/// Owns an open file and a mapping of [first, first + bytes) of it, at any offset. Not for
/// children: the mapping is kept from them.
class file_mapping {
 public:
  file_mapping() noexcept = default;
  /// Throws fault::io when the file cannot be opened, looked at or mapped, and
  /// fault::invalid_argument for what is no regular file and for a range past its end.
  /// `bytes` = SIZE_MAX: up to the end. `read_ahead` asks the kernel to load the range at once.
  file_mapping(const std::string& path, file_access access, std::uint64_t first, std::size_t bytes,
               bool read_ahead);
  file_mapping(file_mapping&& other) noexcept;
  file_mapping& operator=(file_mapping&& other) noexcept;
  ~file_mapping();

  [[nodiscard]] std::byte* data() const noexcept { return data_; }  ///< null when empty
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  /// Copies from the file itself, which is safe when it has become shorter than the mapping: then
  /// fault::io is thrown, where touching data() would end the process.
  void read(std::size_t first, void* out, std::size_t count) const;

 private:
  std::string path_;
  int file_ = -1;
  std::uint64_t offset_ = 0;
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace pinhole::platform
