// Counts pinned bytes against a limit.
#include "pinhole/memory/pin_budget.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "platform/linux/host_limits.hpp"

namespace pinhole {

namespace {

constexpr unsigned default_percent = 10;

struct counters {
  std::mutex mutex;
  std::optional<std::uint64_t> set_limit;
  std::uint64_t in_use = 0;
  std::uint64_t high_water = 0;
};

/// Lives until the process ends: buffers with static storage give back their share last.
counters& shared() noexcept {
  static auto* const made = new counters;
  return *made;
}

struct effective_limit {
  std::uint64_t bytes = 0;
  std::string origin;
};

effective_limit machine_limit() {
  const auto total = platform::total_memory();
  const auto cgroup = platform::cgroup_memory_limit();
  const bool cgroup_binds = cgroup && cgroup->bytes < total;
  const auto base = cgroup_binds ? cgroup->bytes : total;
  return {base / 100 * default_percent, std::to_string(default_percent) + " % of " +
                                            format_bytes(base) + " (" +
                                            (cgroup_binds ? cgroup->source : "MemTotal") + ")"};
}

effective_limit current_limit(const std::optional<std::uint64_t>& set_limit) {
  return set_limit ? effective_limit{*set_limit, "set by the program"} : machine_limit();
}

std::optional<std::uint64_t> set_limit_now() {
  const std::lock_guard lock(shared().mutex);
  return shared().set_limit;
}

}  // namespace

pin_budget& pin_budget::process() noexcept {
  static auto* const made = new pin_budget;
  return *made;
}

std::uint64_t pin_budget::limit() const {
  return current_limit(set_limit_now()).bytes;
}

std::string pin_budget::origin() const {
  return current_limit(set_limit_now()).origin;
}

std::uint64_t pin_budget::in_use() const noexcept {
  const std::lock_guard lock(shared().mutex);
  return shared().in_use;
}

std::uint64_t pin_budget::high_water() const noexcept {
  const std::lock_guard lock(shared().mutex);
  return shared().high_water;
}

void pin_budget::set_limit(std::uint64_t bytes) noexcept {
  const std::lock_guard lock(shared().mutex);
  shared().set_limit = bytes;
}

void pin_budget::clear_limit() noexcept {
  const std::lock_guard lock(shared().mutex);
  shared().set_limit.reset();
}

pin_budget::reservation pin_budget::reserve(std::uint64_t bytes, std::string asked) {
  const auto now = current_limit(set_limit_now());
  std::uint64_t in_use = 0;
  {
    const std::lock_guard lock(shared().mutex);
    in_use = shared().in_use;
    if (in_use <= now.bytes && bytes <= now.bytes - in_use) {
      shared().in_use += bytes;
      shared().high_water = std::max(shared().high_water, shared().in_use);
      return reservation(bytes);
    }
  }
  throw error({.kind = fault::over_budget,
               .asked = std::move(asked),
               .call = {},
               .status = "the pin budget of " + format_bytes(now.bytes) + ", " + now.origin +
                         ", has " + format_bytes(in_use) + " in use, and this needs " +
                         format_bytes(bytes),
               .remedy = "free pinned buffers, or raise it with "
                         "pin_budget::process().set_limit(bytes) (--pin-limit of the tool)",
               .sticky = false,
               .survives = {}});
}

pin_budget::reservation::reservation(reservation&& other) noexcept
    : bytes_(std::exchange(other.bytes_, 0)) {}

pin_budget::reservation& pin_budget::reservation::operator=(reservation&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

pin_budget::reservation::~reservation() {
  if (bytes_ > 0) {
    const std::lock_guard lock(shared().mutex);
    shared().in_use -= bytes_;
  }
}

}  // namespace pinhole
