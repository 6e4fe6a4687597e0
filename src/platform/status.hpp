// What a primitive of the platform returns, and how the layers above turn it into an error.
#pragma once

#include <string>

#include "pinhole/core/error.hpp"

namespace pinhole::platform {

class backend;

/// The outcomes that the layers above tell apart.
enum class outcome {
  ok,
  not_ready,      ///< a query: the work is still running
  invalid_value,  ///< an argument that the driver refuses
  out_of_memory,
  already_registered,
  not_registered,
  not_supported,
  not_permitted,  ///< called where it may not be: inside a host callback, during capture
  unloading,      ///< the driver has shut down; nothing can be released any more
  device_failed,  ///< sticky
  failed,         ///< anything else
};

/// The result of one primitive. `call` and `name` point to text that lives for ever.
struct [[nodiscard]] status {
  outcome what = outcome::ok;
  const char* call = "";
  const char* name = "ok";

  [[nodiscard]] bool ok() const noexcept { return what == outcome::ok; }
};

/// Throws unless `result` is ok, after clearing the runtime's last-error slot, so that no later
/// kernel is blamed. `asked` completes "cannot ...".
void require(backend& from, const status& result, const std::string& asked);

/// The error that require() throws, for those who report instead.
[[nodiscard]] error to_error(const status& result, const std::string& asked);

/// For what fails where nothing may be thrown: clears the last-error slot and passes the error to
/// the cleanup handler. Silent when the driver has shut down. Returns true when `result` is ok.
bool report(backend& from, const status& result, const char* asked) noexcept;

}  // namespace pinhole::platform
