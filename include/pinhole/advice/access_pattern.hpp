// What a program does with its data, in the terms that decide where the data should live.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace pinhole {

/// In which order the units are touched. Clustered: runs of up to 64 neighbours, anywhere.
enum class access_order { sequential, clustered, random };
/// What a side does with the touched units in each call.
enum class access_role { none, reads, writes, reads_and_writes };
/// Whose memory the host's data is in: fresh memory may be placed anywhere, the user's own must be
/// copied out of it, unless it is registered.
enum class memory_origin { fresh, pageable, file, camera };
/// Whether the time of one call counts, or how many calls are done while they overlap.
enum class access_goal { latency, throughput };
/// Whether the link carries other copies meanwhile.
enum class link_traffic { idle, busy };

/// One call: the host does its part, a kernel does its part, and the host waits for it. Both touch
/// the same units. Designated initialisers read best:
///
///     advise({.bytes = 1_GiB, .touched_units = 64, .unit_bytes = 128,
///             .order = access_order::random}, profile)
struct access_pattern {
  std::uint64_t bytes = 0;                              ///< of the whole data
  std::optional<std::uint64_t> touched_units = {};      ///< in each call; empty: all of them
  std::uint64_t unit_bytes = 4;                         ///< what is touched together
  access_order order = access_order::sequential;        ///< of the units
  access_role host = access_role::writes;               ///< before the kernel, and after it
  access_role device = access_role::reads;              ///< what the kernel does
  double reads_of_each_byte = 1;                        ///< by the kernel, in each call
  std::uint64_t calls = 1000;                           ///< over the life of the data
  std::optional<double> calls_per_second = {};          ///< empty: one after the other
  access_goal goal = access_goal::latency;              ///< what is to be good
  link_traffic link = link_traffic::idle;               ///< what else goes on
  memory_origin memory = memory_origin::fresh;          ///< where the data is
  std::uint64_t most_pinned_bytes = ~std::uint64_t{0};  ///< what may be pinned, if less than usual

  /// Units that a call touches.
  [[nodiscard]] constexpr std::uint64_t units() const noexcept {
    return touched_units ? *touched_units : bytes / unit_bytes;
  }
  [[nodiscard]] constexpr std::uint64_t touched_bytes() const noexcept {
    return units() * unit_bytes;
  }
};

[[nodiscard]] constexpr bool does_read(access_role side) noexcept {
  return side == access_role::reads || side == access_role::reads_and_writes;
}
[[nodiscard]] constexpr bool does_write(access_role side) noexcept {
  return side == access_role::writes || side == access_role::reads_and_writes;
}

/// Units that lie together in the order: all, up to 64, or one.
[[nodiscard]] std::uint64_t units_of_run(const access_pattern& pattern) noexcept;

/// Throws fault::invalid_argument unless the pattern makes sense; the message names the field, what
/// it holds, and what is allowed.
void require_valid(const access_pattern& pattern);

// As they are spelled in the enumerations.
[[nodiscard]] std::string_view to_string(access_order order) noexcept;
[[nodiscard]] std::string_view to_string(access_role role) noexcept;
[[nodiscard]] std::string_view to_string(memory_origin origin) noexcept;
[[nodiscard]] std::string_view to_string(access_goal goal) noexcept;
[[nodiscard]] std::string_view to_string(link_traffic traffic) noexcept;

}  // namespace pinhole
