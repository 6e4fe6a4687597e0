// A GPU, or the CPU device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pinhole/core/tuning.hpp"
#include "pinhole/platform/capabilities.hpp"

namespace pinhole {

namespace platform {
class backend;
}
namespace detail {
struct device_state;
}

enum class device_kind { cuda, cpu };

/// Where work runs. A device is a cheap handle: copies mean the same device, and all members may be
/// called from any thread (for tuning() see there).
///
/// GPUs are those that the CUDA runtime shows, so CUDA_VISIBLE_DEVICES and MIG are respected. A
/// machine without one has exactly one device, the CPU device: streams there are threads, staged
/// copies are real copies, and everything else shares memory. It exists to develop and test on; its
/// times say nothing about a PCIe link.
class device {
 public:
  /// The first GPU, or the CPU device where there is none. Never fails for lack of a GPU.
  [[nodiscard]] static device first();
  /// Every GPU; the CPU device alone where there is none. Never empty.
  [[nodiscard]] static std::vector<device> all();
  /// The CPU device, on every machine.
  [[nodiscard]] static device cpu();
  /// Why all() holds no GPU: no driver, a driver that is too old, none visible, a build without
  /// CUDA. Empty when it holds one.
  [[nodiscard]] static std::string why_no_gpu();

  [[nodiscard]] device_kind kind() const noexcept;
  /// "NVIDIA H200", or "cpu".
  [[nodiscard]] const std::string& name() const noexcept;
  /// "cuda:0" or "cpu": what the tool's --device takes.
  [[nodiscard]] const std::string& id() const noexcept;
  /// Read when first asked for, then cached. The first call may take milliseconds.
  [[nodiscard]] const pinhole::capabilities& capabilities() const;
  /// The numbers that the library decides by on this device. Write them before several threads use
  /// the device.
  [[nodiscard]] pinhole::tuning& tuning() const noexcept;

  /// How many destroyed buffers still wait for work that uses them.
  [[nodiscard]] std::size_t retired() const noexcept;
  /// Frees those whose work is done, which the library does by itself when buffers are made and
  /// destroyed, and gives back what is kept for later vram buffers. For a program at rest. Returns
  /// how many buffers remain.
  std::size_t collect() const noexcept;

  friend bool operator==(const device& a, const device& b) noexcept { return a.state_ == b.state_; }

  /// For the library's own layers and its tests.
  explicit device(std::shared_ptr<detail::device_state> state) noexcept
      : state_(std::move(state)) {}
  [[nodiscard]] platform::backend& backend() const noexcept;
  [[nodiscard]] detail::device_state& state() const noexcept { return *state_; }
  // Copies only: a moved-from device would be a null handle.
  device(const device&) = default;
  device& operator=(const device&) = default;
  ~device() = default;

 private:
  std::shared_ptr<detail::device_state> state_;
};

/// The device that `id` names: "cpu", "cuda:N" or "N". Throws fault::invalid_argument with the list
/// of devices for anything else.
[[nodiscard]] device find_device(std::string_view id);

}  // namespace pinhole
