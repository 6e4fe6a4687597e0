// How a command ends, and the exception with which it ends early.
#pragma once

#include <stdexcept>
#include <string>

#include "pinhole/core/error.hpp"

namespace pinhole::tool {

/// Exit codes, as docs/cli/pinhole.md lists them. An interrupted command ends with 128 + signal.
enum exit_code : int { done = 0, wrong = 1, bad_input = 2, device_lost = 3 };

/// Ends the command with one line on standard error and this code.
class failure : public std::runtime_error {
 public:
  explicit failure(const std::string& line, int code = bad_input)
      : std::runtime_error(line), code_(code) {}
  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  int code_;
};

/// What the user can mend is bad input; what the driver did is the device's failure.
[[nodiscard]] constexpr int code_for(fault kind) noexcept {
  const bool device =
      kind == fault::device_failed || kind == fault::call_failed || kind == fault::timed_out;
  return device ? device_lost : bad_input;
}

}  // namespace pinhole::tool
