// Turns an errno into the library's error.
#pragma once

#include <string>

#include "pinhole/core/error.hpp"

namespace pinhole::platform {

/// The fault::io error for a system call that left `number` in errno: "cannot <asked>: write failed
/// with ENOSPC (No space left on device); <remedy>". The text is the same in every locale.
[[nodiscard]] error system_error(std::string asked, const char* call, int number,
                                 std::string remedy = {});

}  // namespace pinhole::platform
