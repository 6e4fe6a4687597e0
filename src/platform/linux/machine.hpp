// Which machine a report comes from.
#pragma once

#include <string>

namespace pinhole::platform {

/// What decides about times and gives nobody away: no host name, no serial number. Empty text and 0
/// where /proc is not there.
struct machine_facts {
  std::string cpu;            ///< "Intel(R) Xeon(R) Platinum 8480C"
  std::string kernel;         ///< "Linux 6.18.0"
  unsigned logical_cpus = 0;  ///< that this process may use
};
[[nodiscard]] machine_facts describe_machine();

}  // namespace pinhole::platform
