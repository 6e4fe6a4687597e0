// Which CPUs are next to which memory.
#pragma once

#include <vector>

namespace pinhole::platform {

/// The CPUs of a NUMA node, in order; empty where the node is unknown or has none.
[[nodiscard]] std::vector<unsigned> cpus_of_node(int node);

/// From here on the calling thread runs on the CPUs of the node that it may use. Does nothing where
/// there are none of them: work on the wrong node is slow, not wrong.
void run_on_node(int node) noexcept;

}  // namespace pinhole::platform
