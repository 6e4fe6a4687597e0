// Which placement is fastest for a pattern, by how much, and why.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pinhole/advice/access_pattern.hpp"
#include "pinhole/advice/machine_profile.hpp"

namespace pinhole {

/// What a call consists of, in microseconds; the sum is its time. docs/concepts/cost-model.md
/// explains each.
struct cost_terms {
  double launch = 0;      ///< launching a kernel and waiting for it
  double host = 0;        ///< the CPU's own reads and writes, where the data is
  double user_copy = 0;   ///< by the CPU, between the user's memory and the buffer
  double copies = 0;      ///< explicit ones, both ways
  double copy_queue = 0;  ///< what they wait while the link is busy
  double latency = 0;     ///< of the kernel's first access
  double bytes = 0;       ///< the kernel's accesses, where the rate of bytes limits them
  double requests = 0;    ///< the same, where the number of requests does
  double page_walks = 0;  ///< beyond the reach of the device's page cache
  double overlap = 0;     ///< what runs at the same time as something else: negative
  double setup = 0;       ///< making, filling and destroying the buffer: a call's share

  [[nodiscard]] constexpr double sum() const noexcept {
    return launch + host + user_copy + copies + copy_queue + latency + bytes + requests +
           page_walks + overlap + setup;
  }
};

/// What takes the largest part of a call's time.
enum class bound {
  launch,
  cpu,
  copy_engine,
  busy_link,
  link_rate,
  link_requests,
  page_walks,
  device_memory,
  setup
};
[[nodiscard]] std::string_view to_string(bound limit) noexcept;

/// Why a placement is out of the question.
enum class obstacle { none, pin_budget, device_memory, written_file };

/// One placement and what it would cost.
struct forecast {
  pinhole::placement how = pinhole::placement::staged;
  bool overlaps = false;     ///< copies in pieces, while a kernel works on the piece before
  bool copies_runs = false;  ///< copies what is touched, run by run, not everything
  double us = 0;             ///< a call, its share of the set-up included
  cost_terms terms;
  bound limit = bound::launch;
  double bytes_to_device = 0;  ///< over the link, in one call
  double bytes_to_host = 0;
  std::uint64_t pinned_bytes = 0;
  obstacle problem = obstacle::none;
};

/// Every placement that the machine has, the fastest first; those with an obstacle last.
struct recommendation {
  pinhole::placement placement = pinhole::placement::staged;  ///< of the fastest

  [[nodiscard]] std::span<const forecast> ranking() const noexcept {
    return std::span(ranked_).first(count_);
  }
  [[nodiscard]] const forecast& best() const noexcept { return ranked_.front(); }
  /// Whether `one` is so close to the best that the model cannot tell: within 5 %.
  [[nodiscard]] bool is_near_tie(const forecast& one) const noexcept;

  /// For advise() alone: fixed in size, so that advice allocates nothing.
  static constexpr std::size_t most = 12;
  std::array<forecast, most> ranked_{};
  std::size_t count_ = 0;
};

/// A pure function: touches no device and takes about a microsecond. Throws
/// fault::invalid_argument for a pattern that contradicts itself, and fault::over_budget or
/// fault::out_of_memory when no placement has room for it.
[[nodiscard]] recommendation advise(const access_pattern& pattern, const machine_profile& profile);

/// The reasons in sentences: what limits the best, by how much it leads, what would change that.
[[nodiscard]] std::vector<std::string> reasons(const recommendation& given,
                                               const access_pattern& pattern,
                                               const machine_profile& profile);

/// "staged, with overlap", "mapped".
[[nodiscard]] std::string name_of(const forecast& one);

/// Lines of C++ that make the buffer and use it as the forecast assumes.
[[nodiscard]] std::string code_for(const forecast& one, const access_pattern& pattern);

}  // namespace pinhole
