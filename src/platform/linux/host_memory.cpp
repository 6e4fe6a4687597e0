// Reads /proc/self/maps, and notices forks.
#include "platform/linux/host_memory.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <sstream>

#include "platform/linux/host_limits.hpp"

namespace pinhole::platform {

namespace {

std::atomic<unsigned> forks{0};

// Registered when the library is loaded: a fork before that has nothing of ours to release.
[[maybe_unused]] const int fork_watch =
    pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });

page_access access_from(const char* permissions) {
  if (permissions[0] != 'r') {
    return page_access::none;
  }
  return permissions[1] == 'w' ? page_access::read_write : page_access::read_only;
}

}  // namespace

std::size_t page_size() noexcept {
  static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return size;
}

std::size_t page_bytes(const void* first, std::size_t bytes) noexcept {
  const std::size_t page = page_size();
  const auto low = reinterpret_cast<std::uintptr_t>(first) / page;
  const auto high = (reinterpret_cast<std::uintptr_t>(first) + bytes - 1) / page;
  return (high - low + 1) * page;
}

page_access access_of(const void* first, std::size_t bytes) {
  const auto text = read_system_file("/proc/self/maps");
  if (!text) {
    return page_access::unknown;
  }
  auto next = reinterpret_cast<std::uintptr_t>(first);
  const auto end = next + std::max<std::size_t>(bytes, 1);
  page_access weakest = page_access::read_write;
  std::istringstream lines(*text);
  for (std::string line; next < end && std::getline(lines, line);) {
    std::uintptr_t low = 0;
    std::uintptr_t high = 0;
    char permissions[5] = {};
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %4s", &low, &high, permissions) != 3 ||
        high <= next) {
      continue;
    }
    if (low > next) {
      return page_access::not_mapped;
    }
    weakest = std::min(weakest, access_from(permissions));
    next = high;
  }
  return next < end ? page_access::not_mapped : weakest;
}

unsigned fork_generation() noexcept {
  return forks.load(std::memory_order_relaxed);
}

}  // namespace pinhole::platform
