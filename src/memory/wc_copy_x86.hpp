// The methods that need instructions of x86-64.
#pragma once

#include <cstddef>
#include <span>

#include "memory/wc_copy.hpp"

namespace pinhole::detail {

/// Those that the running CPU has, from the narrowest to the widest; returns how many. Pre: room
/// for four.
std::size_t x86_wc_copies(std::span<wc_copies> into) noexcept;

}  // namespace pinhole::detail
