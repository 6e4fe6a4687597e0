// From a status to the error that users see.
#include "platform/status.hpp"

#include "platform/platform.hpp"

namespace pinhole::platform {

namespace {

fault fault_of(outcome what) {
  switch (what) {
    case outcome::invalid_value:
      return fault::invalid_argument;
    case outcome::out_of_memory:
      return fault::out_of_memory;
    case outcome::already_registered:
      return fault::already_registered;
    case outcome::not_supported:
      return fault::not_supported;
    case outcome::device_failed:
      return fault::device_failed;
    default:
      return fault::call_failed;
  }
}

std::string remedy_for(outcome what) {
  switch (what) {
    case outcome::out_of_memory:
      return "ask for less, or free other buffers and processes first";
    case outcome::not_permitted:
      return "do not call this from a host callback or while a stream is captured";
    case outcome::unloading:
      return "the driver has shut down: finish this work before main() returns";
    case outcome::device_failed:
      return "find the kernel that failed with compute-sanitizer, and start the process again";
    default:
      return {};
  }
}

}  // namespace

error to_error(const status& result, const std::string& asked) {
  const bool lost = result.what == outcome::device_failed;
  return error({.kind = fault_of(result.what),
                .asked = asked,
                .call = result.call,
                .status = result.name,
                .remedy = remedy_for(result.what),
                .sticky = lost,
                .survives = lost ? "bytes in host memory (mapped, registered, the host's half of "
                                   "staged) stay readable"
                                 : ""});
}

void require(backend& from, const status& result, const std::string& asked) {
  if (!result.ok()) {
    from.clear_last_error();
    throw to_error(result, asked);
  }
}

bool report(backend& from, const status& result, const char* asked) noexcept {
  if (result.ok()) {
    return true;
  }
  from.clear_last_error();
  if (result.what != outcome::unloading) {
    try {
      detail::report_cleanup(to_error(result, asked));
    } catch (...) {  // no memory for the text: there is nobody left to tell
    }
  }
  return false;
}

}  // namespace pinhole::platform
