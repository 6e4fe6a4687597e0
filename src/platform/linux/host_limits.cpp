// Reads /proc and cgroup files.
#include "platform/linux/host_limits.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

namespace pinhole::platform {

namespace {

std::string& root_slot() {
  static std::string root;
  return root;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

std::optional<std::uint64_t> leading_number(std::string_view text) {
  const auto digit = text.find_first_of("0123456789");
  if (digit == std::string_view::npos) {
    return std::nullopt;
  }
  std::uint64_t value = 0;
  const auto got = std::from_chars(text.data() + digit, text.data() + text.size(), value);
  return got.ec == std::errc{} ? std::optional(value) : std::nullopt;
}

/// The bytes behind "key:   N kB" in a /proc file.
std::optional<std::uint64_t> kilobytes_after(const std::string& path, std::string_view key) {
  const auto text = read_system_file(path);
  if (!text) {
    return std::nullopt;
  }
  for (const auto& line : lines_of(*text)) {
    if (line.size() > key.size() && line.starts_with(key) && line[key.size()] == ':') {
      const auto value = leading_number(std::string_view(line).substr(key.size()));
      return value ? std::optional(*value * 1024) : std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> soft_limit(__rlimit_resource which) {
  rlimit limit{};
  if (getrlimit(which, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::nullopt;
  }
  return limit.rlim_cur;
}

/// One hierarchy in which the process has a place: its mount, its path below, and the limit's file.
struct hierarchy {
  std::string mount;
  std::string path;
  const char* limit_file;
};

/// From lines "id:controllers:path" of /proc/self/cgroup; v2 has id 0 and no controllers.
std::vector<hierarchy> memory_hierarchies() {
  std::vector<hierarchy> found;
  for (const auto& line : lines_of(read_system_file("/proc/self/cgroup").value_or(""))) {
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) {
      continue;
    }
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string path = line.substr(second + 1);
    if (controllers == ",,") {
      found.push_back({"/sys/fs/cgroup", path, "memory.max"});
    } else if (controllers.find(",memory,") != std::string::npos) {
      found.push_back({"/sys/fs/cgroup/memory", path, "memory.limit_in_bytes"});
    }
  }
  return found;
}

}  // namespace

void set_system_root(std::string folder) {
  root_slot() = std::move(folder);
}

const std::string& system_root() noexcept {
  return root_slot();
}

std::optional<std::string> read_system_file(const std::string& path) {
  std::ifstream file(system_root() + path);
  if (!file) {
    return std::nullopt;
  }
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::uint64_t total_memory() {
  if (const auto total = kilobytes_after("/proc/meminfo", "MemTotal")) {
    return *total;
  }
  const auto pages = static_cast<std::uint64_t>(std::max(0L, sysconf(_SC_PHYS_PAGES)));
  return pages * static_cast<std::uint64_t>(std::max(0L, sysconf(_SC_PAGESIZE)));
}

std::optional<std::uint64_t> available_memory() {
  return kilobytes_after("/proc/meminfo", "MemAvailable");
}

std::optional<cgroup_limit> cgroup_memory_limit() {
  std::optional<cgroup_limit> smallest;
  for (const auto& [mount, path, limit_file] : memory_hierarchies()) {
    // In a container the path may lead outside of what is mounted here; its own root is read
    // anyway.
    std::string below = path;
    while (true) {
      std::string file = mount;
      file += below == "/" ? "" : below;
      file += std::string("/") + limit_file;
      const auto value = leading_number(read_system_file(file).value_or(""));
      if (value && (!smallest || *value < smallest->bytes)) {
        smallest = cgroup_limit{*value, file};
      }
      const auto parent = below.rfind('/');
      if (parent == std::string::npos || below == "/") {
        break;
      }
      below.erase(parent);
    }
  }
  // v1 says "no limit" with a number near 2^63.
  if (smallest && smallest->bytes >= (std::uint64_t{1} << 62U)) {
    return std::nullopt;
  }
  return smallest;
}

std::optional<std::uint64_t> memlock_limit() {
  return soft_limit(RLIMIT_MEMLOCK);
}

std::optional<std::uint64_t> address_space_limit() {
  return soft_limit(RLIMIT_AS);
}

std::optional<std::uint64_t> locked_memory() {
  const auto locked = kilobytes_after("/proc/self/status", "VmLck");
  const auto pinned = kilobytes_after("/proc/self/status", "VmPin");
  if (!locked && !pinned) {
    return std::nullopt;
  }
  return locked.value_or(0) + pinned.value_or(0);
}

}  // namespace pinhole::platform
