// The one exception type of the library.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "pinhole/core/config.hpp"

namespace pinhole {

/// What went wrong, for code that reacts to it. Text for people is in error::what().
enum class fault {
  invalid_argument,    ///< the caller's mistake; nothing was tried
  moved_from,          ///< the object was moved from and holds nothing
  out_of_memory,       ///< the host or the device has not enough
  over_budget,         ///< the pin budget forbids it; nothing was tried
  not_supported,       ///< this machine cannot; the remedy says what would make it able
  already_registered,  ///< (part of) the range is pinned already
  cancelled,           ///< the caller's own progress function said so; nothing was changed
  timed_out,           ///< the deadline passed; the work goes on
  device_failed,       ///< sticky: no further work on this device succeeds in this process
  io,                  ///< a file or an operating-system call failed
  call_failed,         ///< any other driver call failed
};

/// The name of a fault as it is spelled in the enumeration.
[[nodiscard]] std::string_view to_string(fault kind) noexcept;

/// The parts that an error is made of. Empty parts are left out of the text.
struct error_parts {
  fault kind = fault::call_failed;
  std::string asked;     ///< what the caller asked for: "allocate 4 GiB of mapped memory on cpu"
  std::string call;      ///< the call that failed: "cudaHostAlloc"
  std::string status;    ///< its status by name: "cudaErrorMemoryAllocation"
  std::string remedy;    ///< what to do about it
  bool sticky = false;   ///< every later call on the device fails as well
  std::string survives;  ///< after a sticky error: what can still be used
};

/// Thrown by every function of the library that fails; what() reads
/// "cannot <asked>: <call> failed with <status>; <remedy>".
///
/// Copies share their text and never throw. The type has default visibility, so that it can be
/// caught across shared objects.
class PINHOLE_VISIBLE error : public std::runtime_error {
 public:
  explicit error(error_parts parts);

  [[nodiscard]] fault kind() const noexcept { return parts_->kind; }
  [[nodiscard]] const std::string& asked() const noexcept { return parts_->asked; }
  [[nodiscard]] const std::string& call() const noexcept { return parts_->call; }
  [[nodiscard]] const std::string& status() const noexcept { return parts_->status; }
  [[nodiscard]] const std::string& remedy() const noexcept { return parts_->remedy; }
  /// True when the device is lost for this process.
  [[nodiscard]] bool is_sticky() const noexcept { return parts_->sticky; }
  /// What remains usable after a sticky error; empty otherwise.
  [[nodiscard]] const std::string& survives() const noexcept { return parts_->survives; }

 private:
  std::shared_ptr<const error_parts> parts_;
};

/// Receives what fails inside destructors, which never throw. May be called from any thread; must
/// not throw. Returns the handler that was set before; nullptr (the default) discards.
using cleanup_handler = void (*)(const error&) noexcept;
cleanup_handler set_cleanup_handler(cleanup_handler handler) noexcept;

namespace detail {
/// Passes `failure` to the cleanup handler, if one is set.
void report_cleanup(const error& failure) noexcept;
/// Throws fault::invalid_argument with this text.
[[noreturn]] void reject(std::string asked, std::string reason);
}  // namespace detail

}  // namespace pinhole
