// Reads /proc/cpuinfo, uname and the affinity mask.
#include "platform/linux/machine.hpp"

#include <sched.h>
#include <sys/utsname.h>

#include "platform/linux/host_limits.hpp"

namespace pinhole::platform {

namespace {

std::string cpu_model() {
  const std::string text = read_system_file("/proc/cpuinfo").value_or("");
  const auto key = text.find("model name");
  const auto colon = key == std::string::npos ? key : text.find(": ", key);
  if (colon == std::string::npos) {
    return {};
  }
  return text.substr(colon + 2, text.find('\n', colon) - colon - 2);
}

std::string kernel_version() {
  utsname names{};
  if (uname(&names) != 0) {
    return {};
  }
  // Without the suffix that a distribution or a builder appended.
  const std::string release = names.release;
  return std::string(names.sysname) + " " +
         release.substr(0, release.find_first_not_of("0123456789."));
}

unsigned usable_cpus() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  return sched_getaffinity(0, sizeof mask, &mask) == 0 ? static_cast<unsigned>(CPU_COUNT(&mask))
                                                       : 0;
}

}  // namespace

machine_facts describe_machine() {
  return {.cpu = cpu_model(), .kernel = kernel_version(), .logical_cpus = usable_cpus()};
}

}  // namespace pinhole::platform
