// Reads /sys, and sets the affinity of threads.
#include "platform/linux/numa.hpp"

#include <sched.h>

#include <charconv>
#include <exception>
#include <string>
#include <string_view>

#include "platform/linux/host_limits.hpp"

namespace pinhole::platform {

std::vector<unsigned> cpus_of_node(int node) {
  std::vector<unsigned> cpus;
  const auto text =
      read_system_file("/sys/devices/system/node/node" + std::to_string(node) + "/cpulist")
          .value_or("");
  // "0-7,16-23\n"
  const char* at = text.data();
  const char* const end = at + text.size();
  unsigned first = 0;
  while (at < end) {
    auto got = std::from_chars(at, end, first);
    unsigned last = first;
    if (got.ec == std::errc{} && got.ptr < end && *got.ptr == '-') {
      got = std::from_chars(got.ptr + 1, end, last);
    }
    if (got.ec != std::errc{} || last < first || last >= CPU_SETSIZE) {
      return cpus;
    }
    for (; first <= last; ++first) {
      cpus.push_back(first);
    }
    if (got.ptr == end || *got.ptr != ',') {
      return cpus;
    }
    at = got.ptr + 1;
  }
  return cpus;
}

void run_on_node(int node) noexcept try {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) {
    return;
  }
  cpu_set_t near;
  CPU_ZERO(&near);
  for (const unsigned cpu : cpus_of_node(node)) {
    if (CPU_ISSET(cpu, &mine)) {
      CPU_SET(cpu, &near);
    }
  }
  if (CPU_COUNT(&near) > 0) {
    sched_setaffinity(0, sizeof near, &near);
  }
} catch (const std::exception&) {  // no memory for a list of CPUs
}

}  // namespace pinhole::platform
