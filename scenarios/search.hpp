// What `flag` searches for, and how to find it the plain way.
#pragma once

#include <cstdint>

#include "scenarios/drawing.hpp"

namespace pinhole::scenarios {

/// Which number from 0 on is scrambled into `wanted`? Each turn tries the next few.
struct search {
  static constexpr std::uint64_t candidates_per_turn = 4096;

  std::uint64_t wanted = 0;
  unsigned turns = 0;  ///< after which it is found; the arms do not know

  /// One that is found in the last of `turns` > 0; where in that turn depends on `seed`.
  [[nodiscard]] static constexpr search hidden_in_turn(unsigned turns, std::uint64_t seed) {
    const std::uint64_t answer =
        (turns - 1) * candidates_per_turn + scramble(seed) % candidates_per_turn;
    return {.wanted = scramble(answer), .turns = turns};
  }

  [[nodiscard]] constexpr std::uint64_t plain_answer() const {
    std::uint64_t candidate = 0;
    while (scramble(candidate) != wanted) {
      ++candidate;
    }
    return candidate;
  }
};

}  // namespace pinhole::scenarios
