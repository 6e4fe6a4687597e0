// Keeps the profile of each device that place() was asked about.
#include "pinhole/advice/place.hpp"

#include <map>
#include <mutex>
#include <string>

#include "pinhole/advice/calibrate.hpp"
#include "pinhole/core/error.hpp"
#include "pinhole/core/units.hpp"

namespace pinhole::advice {

namespace {

/// A profile that cannot be read, or that is stale, is as good as none.
machine_profile kept_or_measured(const device& where) {
  const auto here = identity_of(where);
  const auto path = profile_path(here);
  try {
    auto kept = load_profile(path);
    if (what_changed(kept.machine, here).empty()) {
      return kept;
    }
  } catch (const error&) {
  }
  auto measured = calibrate(where);
  try {
    if (!path.empty()) {
      save_profile(measured, path);
    }
  } catch (const error&) {
    // The next process measures again.
  }
  return measured;
}

}  // namespace

const machine_profile& profile_of(const device& where) {
  // Never destroyed: buffers with static storage may still be placed at exit.
  static auto& mutex = *new std::mutex;
  static auto& known = *new std::map<std::string, machine_profile>;
  const std::lock_guard lock(mutex);
  const auto found = known.find(where.id());
  return found != known.end() ? found->second
                              : known.emplace(where.id(), kept_or_measured(where)).first->second;
}

access_pattern sized(access_pattern pattern, std::size_t count, std::size_t size) {
  const std::size_t bytes = checked_bytes(count, size, "place a buffer");
  if (pattern.bytes != 0 && pattern.bytes != bytes) {
    pinhole::detail::reject("place " + format_bytes(bytes),
                            "the pattern is of " + format_bytes(pattern.bytes) +
                                "; leave out its bytes, or state as many");
  }
  pattern.bytes = bytes;
  return pattern;
}

}  // namespace pinhole::advice
