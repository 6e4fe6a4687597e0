// How much memory the process may pin.
#pragma once

#include <cstdint>
#include <string>

#include "pinhole/core/units.hpp"

namespace pinhole {

/// Pinned memory is taken from everybody else on the machine, so the library counts what it pins
/// and stops at a limit: 10 % of min(MemTotal, the limit of every cgroup v1 or v2 ancestor), read
/// anew at each request, unless a limit was set. One budget for the process; a static library that
/// is linked into two shared objects has two. All members may be called from any thread.
class pin_budget {
 public:
  [[nodiscard]] static pin_budget& process() noexcept;

  /// In bytes, as of now.
  [[nodiscard]] std::uint64_t limit() const;
  [[nodiscard]] std::uint64_t in_use() const noexcept;
  [[nodiscard]] std::uint64_t high_water() const noexcept;
  /// Where the limit comes from: "10 % of 23.4 GiB (MemTotal)", "set by the program", ...
  [[nodiscard]] std::string origin() const;

  /// Replaces the default. A limit below what is in use refuses further requests and takes nothing
  /// away.
  void set_limit(std::uint64_t bytes) noexcept;
  /// Back to the default.
  void clear_limit() noexcept;

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
    explicit reservation(std::uint64_t bytes) noexcept : bytes_(bytes) {}
    std::uint64_t bytes_ = 0;
  };
  /// Takes `bytes`, or throws fault::over_budget with the limit, what is in use, and how to raise
  /// it; then nothing has changed. `asked` completes "cannot ...".
  [[nodiscard]] reservation reserve(std::uint64_t bytes, std::string asked);

  pin_budget(const pin_budget&) = delete;             // one for the process
  pin_budget& operator=(const pin_budget&) = delete;  // one for the process

 private:
  pin_budget() = default;
  ~pin_budget() = default;
};

}  // namespace pinhole
