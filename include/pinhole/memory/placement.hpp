// Where bytes live, and who reaches over the link for them.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace pinhole {

enum class placement {
  staged,      ///< one copy on each side, moved by an explicit copy: the thing to beat
  mapped,      ///< pinned host memory, mapped into the device's address space
  registered,  ///< the user's own host memory, pinned and mapped in place
  managed,     ///< CUDA managed memory with a home: at home on the host, it stays there
  vram,        ///< device memory, mapped into the host's address space
};

/// "staged", "mapped", "registered", "managed", "vram".
[[nodiscard]] std::string_view to_string(placement where) noexcept;
/// The inverse of to_string; empty for an unknown name.
[[nodiscard]] std::optional<placement> placement_from(std::string_view name) noexcept;
/// All of them, in the order of the enumeration.
[[nodiscard]] std::span<const placement> all_placements() noexcept;

}  // namespace pinhole
