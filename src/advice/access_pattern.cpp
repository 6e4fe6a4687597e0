// Refuses patterns that contradict themselves.
#include "pinhole/advice/access_pattern.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "pinhole/core/error.hpp"

namespace pinhole {

namespace {

constexpr double most_reads = 1e6;
constexpr double most_calls_per_second = 1e9;
constexpr std::uint64_t cluster_units = 64;

std::string text_of(std::uint64_t value) {
  return std::to_string(value);
}
std::string text_of(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

template <class Value>
[[noreturn]] void refuse(const char* field, Value value, const std::string& allowed) {
  detail::reject(std::string("use the access pattern: ") + field + " is " + text_of(value),
                 "allowed are " + allowed);
}

void require_between(const char* field, double value, double least, double most,
                     const char* allowed) {
  // Not a number is not in the range either.
  if (!(value >= least && value <= most)) {
    refuse(field, value, allowed);
  }
}

void require_valid_units(const access_pattern& pattern) {
  if (pattern.bytes == 0) {
    refuse("bytes", pattern.bytes, "1 and more");
  }
  if (pattern.unit_bytes == 0 || pattern.unit_bytes > pattern.bytes) {
    refuse("unit_bytes", pattern.unit_bytes, "1 to " + text_of(pattern.bytes) + ", the bytes");
  }
  const std::uint64_t most = pattern.bytes / pattern.unit_bytes;
  if (pattern.touched_units && (*pattern.touched_units == 0 || *pattern.touched_units > most)) {
    refuse("touched_units", *pattern.touched_units,
           "1 to " + text_of(most) + ", as " + text_of(pattern.bytes) + " bytes hold units of " +
               text_of(pattern.unit_bytes));
  }
}

void require_valid_roles(const access_pattern& pattern) {
  if (pattern.device == access_role::none) {
    detail::reject("use the access pattern: device is none",
                   "allowed are reads, writes and reads_and_writes, as data that no kernel touches "
                   "needs no advice");
  }
  if (pattern.memory == memory_origin::camera && !does_write(pattern.host)) {
    detail::reject("use the access pattern: memory is camera and the host does not write",
                   "allowed are writes and reads_and_writes for the host, as a camera's frames are "
                   "what it writes");
  }
}

}  // namespace

std::uint64_t units_of_run(const access_pattern& pattern) noexcept {
  const std::uint64_t units = pattern.units();
  switch (pattern.order) {
    case access_order::sequential:
      return units;
    case access_order::clustered:
      return std::min(units, cluster_units);
    case access_order::random:
      break;
  }
  return 1;
}

void require_valid(const access_pattern& pattern) {
  require_valid_units(pattern);
  require_valid_roles(pattern);
  require_between("reads_of_each_byte", pattern.reads_of_each_byte, 1, most_reads, "1 to 1000000");
  if (pattern.calls == 0) {
    refuse("calls", pattern.calls, "1 and more");
  }
  if (pattern.calls_per_second) {
    require_between("calls_per_second", *pattern.calls_per_second, 1e-6, most_calls_per_second,
                    "0.000001 to 1000000000");
  }
}

std::string_view to_string(access_order order) noexcept {
  constexpr std::array<std::string_view, 3> names = {"sequential", "clustered", "random"};
  return names.at(static_cast<std::size_t>(order));
}

std::string_view to_string(access_role role) noexcept {
  constexpr std::array<std::string_view, 4> names = {"none", "reads", "writes", "reads_and_writes"};
  return names.at(static_cast<std::size_t>(role));
}

std::string_view to_string(memory_origin origin) noexcept {
  constexpr std::array<std::string_view, 4> names = {"fresh", "pageable", "file", "camera"};
  return names.at(static_cast<std::size_t>(origin));
}

std::string_view to_string(access_goal goal) noexcept {
  return goal == access_goal::latency ? "latency" : "throughput";
}

std::string_view to_string(link_traffic traffic) noexcept {
  return traffic == link_traffic::idle ? "idle" : "busy";
}

}  // namespace pinhole
