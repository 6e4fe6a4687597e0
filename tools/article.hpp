// The article's five situations, as patterns, and what it says of them.
#pragma once

#include <string>

#include "pinhole/advice/machine_profile.hpp"
#include "tools/support/report.hpp"

namespace pinhole::tool {

[[nodiscard]] std::string article_text(const machine_profile& profile, bool colours);
[[nodiscard]] json article_json(const machine_profile& profile);

}  // namespace pinhole::tool
