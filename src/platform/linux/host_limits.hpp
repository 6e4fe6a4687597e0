// What the operating system says about memory and its limits.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace pinhole::platform {

/// Total memory, from /proc/meminfo; from sysconf where /proc is not there.
[[nodiscard]] std::uint64_t total_memory();
/// Memory that can be had without swapping; empty where /proc is not there.
[[nodiscard]] std::optional<std::uint64_t> available_memory();

struct cgroup_limit {
  std::uint64_t bytes = 0;
  std::string source;  ///< the file that holds the smallest limit
};
/// The smallest memory limit of the process's cgroup and all its ancestors, v1 or v2; empty where
/// there is none.
[[nodiscard]] std::optional<cgroup_limit> cgroup_memory_limit();

/// RLIMIT_MEMLOCK in bytes (the soft limit); empty when unlimited.
[[nodiscard]] std::optional<std::uint64_t> memlock_limit();
/// RLIMIT_AS in bytes (the soft limit): all mappings together; empty when unlimited.
[[nodiscard]] std::optional<std::uint64_t> address_space_limit();
/// What the kernel counts as locked for this process (VmLck and VmPin of /proc/self/status).
[[nodiscard]] std::optional<std::uint64_t> locked_memory();

/// Where /proc and /sys are looked for: "" outside of tests, which set a folder of their own. Not
/// synchronised.
void set_system_root(std::string folder);
[[nodiscard]] const std::string& system_root() noexcept;
/// The text of a file below the system root; empty optional when it cannot be read.
[[nodiscard]] std::optional<std::string> read_system_file(const std::string& path);

}  // namespace pinhole::platform
