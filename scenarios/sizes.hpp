// Which sizes the user may ask for.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "scenarios/scenario.hpp"

namespace pinhole::scenarios {

/// --size as `scenario_name` can use it; empty when it was not given. Throws
/// fault::invalid_argument for 0, for what is no multiple of `unit`, and for more than the device's
/// memory, which on the CPU device holds two copies.
[[nodiscard]] std::optional<std::uint64_t> asked_size(const settings& asked,
                                                      std::string_view scenario_name,
                                                      std::uint64_t unit);

}  // namespace pinhole::scenarios
