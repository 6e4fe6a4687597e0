// Puts a topic's results into the form that scripts/figures reads.
#include "benchmarks/measure.hpp"

#include <algorithm>

namespace pinhole::measure {

const std::vector<topic>& topics() {
  static const std::vector<topic> all = {
      {"advice", "calibration, and whether the advice that follows from it is right",
       measure_advice},
      {"compare", "every scenario of pinhole compare, at the article's sizes", measure_compare},
      {"memory", "pinning, managed tables, and sparse access to host memory", measure_memory},
      {"signal", "how fast host and device talk while both run", measure_signal},
      {"vram", "what the CPU's accesses to device memory cost, and when a kernel sees them",
       measure_vram},
  };
  return all;
}

std::string machine_name(const device& where) {
  const std::string& name = where.name();
  std::string last = name.substr(name.rfind(' ') + 1);
  std::ranges::transform(last, last.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return last;
}

json results_json(const topic& what, const topic_result& measured, const topic_request& asked,
                  const std::vector<std::string>& command_line) {
  json file = {{"topic", what.name}};
  file.update(tool::provenance(command_line));
  file["machine"] = tool::machine_json();
  file["device"] = tool::device_json(asked.where);
  file["full_sizes"] = asked.full;
  file["figures"] = measured.figures;
  file.update(measured.details);
  file["samples"] = measured.samples.as_json();
  return file;
}

}  // namespace pinhole::measure
