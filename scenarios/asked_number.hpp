// Options that are numbers, checked where their meaning is known.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pinhole/core/error.hpp"

namespace pinhole::scenarios {

/// What was asked for; `otherwise` when nothing was. Throws fault::invalid_argument, naming
/// `option`, for a number that is not between the two.
[[nodiscard]] inline std::uint64_t asked_number(std::string_view option,
                                                std::optional<std::uint64_t> asked,
                                                std::uint64_t otherwise, std::uint64_t least,
                                                std::uint64_t most) {
  if (asked && (*asked < least || *asked > most)) {
    pinhole::detail::reject("use " + std::string(option) + " " + std::to_string(*asked),
                            "allowed are " + std::to_string(least) + " to " + std::to_string(most));
  }
  return asked.value_or(otherwise);
}

}  // namespace pinhole::scenarios
