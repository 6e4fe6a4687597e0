// Libraries that are opened at run time, where they are there.
#pragma once

#include <string>

namespace pinhole::platform {

/// Never closed again: libraries that started threads or keep state of their own do not survive it.
class shared_library {
 public:
  /// `name` as in "libvulkan.so.1". Never throws for a library that is not there.
  explicit shared_library(const char* name);

  [[nodiscard]] bool is_open() const noexcept { return handle_ != nullptr; }
  /// Why it is not open, in the loader's words.
  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }
  /// The symbol; null where the library has none of this name, or is not open.
  template <class Function>
  [[nodiscard]] Function symbol(const char* name) const noexcept {
    return reinterpret_cast<Function>(address(name));
  }

 private:
  [[nodiscard]] void* address(const char* name) const noexcept;
  void* handle_;
  std::string problem_;
};

}  // namespace pinhole::platform
