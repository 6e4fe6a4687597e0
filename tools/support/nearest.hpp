// "did you mean": the allowed word that is nearest to a misspelt one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pinhole::tool {

/// The word with the fewest inserted, removed and replaced letters, or "" when none is near (at
/// most one letter in three).
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& allowed);

/// "'mapt' is not a placement; allowed: staged, mapped; did you mean 'mapped'?"
[[nodiscard]] std::string not_allowed(std::string_view word, std::string_view kind,
                                      const std::vector<std::string>& allowed);

}  // namespace pinhole::tool
