// What the topic `memory` times, behind plain functions, so that JSON never meets nvcc.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "pinhole/platform/device.hpp"

namespace pinhole::measure {

/// Samples by what they are of, each name with its unit.
using named_samples = std::map<std::string, std::vector<double>>;
using told = std::function<void(const char*, double)>;

/// Each adds its samples, after a round that does not count. Results are compared with what they
/// must be; what differs throws. Pre: a GPU.
void measure_pinning(const device& where, bool full, named_samples& into, const told& tell);
void measure_tables(const device& where, bool full, named_samples& into, const told& tell);
void measure_access(const device& where, bool full, named_samples& into, const told& tell);

}  // namespace pinhole::measure
