// The search of `flag` by a kernel that stays.
#pragma once

#include <memory>

#include "pinhole/platform/device.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/search.hpp"

namespace pinhole::scenarios {

/// The same grid and the same work a turn as in the other arms. Starting and stopping the kernel
/// lie outside the timing.
[[nodiscard]] std::unique_ptr<arm> make_resident_searcher(const device& where, const search& what);

}  // namespace pinhole::scenarios
