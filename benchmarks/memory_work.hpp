// What the topic `memory` times, behind plain functions, so that JSON never meets CUDA.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "pinhole/platform/device.hpp"

namespace pinhole::measure {

/// A point of a curve: cost against size.
struct curve_point {
  std::string curve;
  std::string x_name;  ///< with its unit
  double x = 0;
  std::string arm;
  std::string samples;  ///< their name
};

struct memory_samples {
  std::map<std::string, std::vector<double>> by_name;  ///< each name with its unit
  std::vector<curve_point> curves;
};
using told = std::function<void(const char*, double)>;

/// Each adds its samples, after a round that does not count. Results are compared with what they
/// must be; what differs throws. Pre: a GPU.
void measure_pinning(const device& where, bool full, memory_samples& into, const told& tell);
void measure_tables(const device& where, bool full, memory_samples& into, const told& tell);
void measure_blocks(const device& where, bool full, memory_samples& into, const told& tell);
void measure_ranges(const device& where, bool full, memory_samples& into, const told& tell);

}  // namespace pinhole::measure
