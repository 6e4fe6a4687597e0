// A kernel that stays and answers: how fast can a machine do that?
#pragma once

#include <vector>

#include "pinhole/platform/device.hpp"

namespace pinhole::advice {

/// Times of `count` round trips of a small message, in microseconds. Throws fault::not_supported
/// where no kernel can stay.
[[nodiscard]] std::vector<double> mailbox_times_us(const device& where, unsigned count);

}  // namespace pinhole::advice
