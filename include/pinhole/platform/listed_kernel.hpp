// Which kernels the library may launch, so that they can be loaded before one of them stays.
#pragma once

namespace pinhole::detail {

/// CUDA loads a kernel when it is first needed, for which it may wait until the device is idle: for
/// ever, while a resident kernel runs. So whatever launches a kernel template keeps one of these
/// beside it, as a variable with static storage, and the first resident of a device has all of them
/// loaded before it starts. The list only grows; any thread may walk along it.
class listed_kernel {
 public:
  explicit listed_kernel(const void* cuda_kernel) noexcept;
  listed_kernel(const listed_kernel&) = delete;             // the list points to it
  listed_kernel& operator=(const listed_kernel&) = delete;  // the list points to it

  [[nodiscard]] const void* cuda_kernel() const noexcept { return kernel_; }
  /// The one that was listed before this; null at the end.
  [[nodiscard]] const listed_kernel* next() const noexcept { return next_; }
  /// The newest; null when there is none.
  [[nodiscard]] static const listed_kernel* newest() noexcept;

 private:
  const void* kernel_;
  const listed_kernel* next_;
};

}  // namespace pinhole::detail
