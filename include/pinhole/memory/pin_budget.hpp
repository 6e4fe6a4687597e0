// How much memory the process may pin.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "pinhole/core/units.hpp"

namespace pinhole {

namespace detail {
struct budget_account;
}

/// Pinned memory is taken from everybody else on the machine, so the library counts what it pins
/// and stops at a limit. That is, in this order: what set_limit() said; PINHOLE_PIN_LIMIT in the
/// environment; 10 % of min(MemTotal, the limit of every cgroup v1 or v2 ancestor). The last two
/// are read anew at each request. One budget for the process; a static library that is linked into
/// two shared objects has two. All members may be called from any thread.
///
/// Counted once each: pinned buffers, registrations in whole pages, host-homed managed memory, and
/// all that a pinned_pool holds, whether it is lent or not.
///
/// A component can be given a part: pin_budget decoder("decoder", 1_GiB) counts against itself and
/// against the budget above it, so that it never takes more than its part, nor makes the process
/// take more than the whole.
class pin_budget {
 public:
  [[nodiscard]] static pin_budget& process() noexcept;
  /// A part of `above`, which may itself be a part. What was reserved from it may outlive it.
  pin_budget(std::string name, std::uint64_t limit, const pin_budget& above = process());
  ~pin_budget();

  /// In bytes, as of now. Throws fault::invalid_argument when PINHOLE_PIN_LIMIT is no limit, as
  /// origin() and reserve() do.
  [[nodiscard]] std::uint64_t limit() const;
  [[nodiscard]] std::uint64_t in_use() const noexcept;
  [[nodiscard]] std::uint64_t high_water() const noexcept;
  /// Where the limit comes from: "10 % of 23.4 GiB (MemTotal)", "set by the program", ...
  [[nodiscard]] std::string origin() const;

  /// Replaces the limit. One below what is in use refuses further requests and takes nothing away.
  void set_limit(std::uint64_t bytes) noexcept;
  /// Back to the default; a part goes back to the limit that it was made with.
  void clear_limit() noexcept;

  /// Reads a limit as PINHOLE_PIN_LIMIT and --pin-limit spell it: "8GiB" as parse_bytes() does, or
  /// "25%" of the memory that the default is a tenth of. Throws fault::invalid_argument for
  /// anything else, and for more than 100 %.
  [[nodiscard]] static std::uint64_t parse_limit(std::string_view text);

  /// A share of the budget, given back on destruction. Moves, never copies.
  class reservation {
   public:
    reservation() noexcept = default;
    reservation(reservation&& other) noexcept;
    reservation& operator=(reservation&& other) noexcept;
    ~reservation();
    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

   private:
    friend class pin_budget;
    reservation(std::shared_ptr<detail::budget_account> from, std::uint64_t bytes) noexcept;
    std::shared_ptr<detail::budget_account> from_;
    std::uint64_t bytes_ = 0;
  };
  /// Takes `bytes`, or throws fault::over_budget with the limit, what is in use, and how to raise
  /// it; then nothing has changed. `asked` completes "cannot ...".
  [[nodiscard]] reservation reserve(std::uint64_t bytes, std::string asked);

  pin_budget(const pin_budget&) = delete;             // what it counts must be counted once
  pin_budget& operator=(const pin_budget&) = delete;  // what it counts must be counted once

 private:
  pin_budget();
  std::shared_ptr<detail::budget_account> account_;
};

}  // namespace pinhole
