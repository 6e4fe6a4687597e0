// Device memory for work in progress, which may outlive its owner by the length of that work.
#pragma once

#include <cstddef>
#include <memory>

#include "memory/resource.hpp"
#include "platform/device_state.hpp"
#include "platform/event.hpp"

namespace pinhole::detail {

/// Record `mark` behind the last work that uses the memory. Owned by a unique_ptr, which
/// retire_scratch() takes.
class device_scratch : public retirable {
 public:
  /// Throws what the driver reports; `what` completes "allocate 8 MiB ...".
  device_scratch(const device& where, std::size_t bytes, const char* what);
  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  bool try_release() noexcept override;

  event mark;

 private:
  std::byte* data_ = nullptr;
  resource memory_;
};

/// Gives the memory back, now or, while work uses it, later. Never waits. Null is fine.
void retire_scratch(const device& where, std::unique_ptr<device_scratch> scratch) noexcept;

}  // namespace pinhole::detail
