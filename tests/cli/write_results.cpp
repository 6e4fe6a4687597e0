// Writes a file of results as pinhole_measure does, without a GPU: invented samples, or with the
// name of a topic that one at quick sizes on the CPU device, whose figures mean nothing but must
// agree with their samples.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "benchmarks/measure.hpp"
#include "platform/linux/replace_file.hpp"

namespace {

namespace measure = pinhole::measure;

measure::topic_result invented(const measure::topic_request& /*asked*/) {
  measure::topic_result result;
  result.samples.add("flag/100 turns/copy", {20.5, 19.25, 18.125, 40});
  result.samples.add("flag/100 turns/mapped", {10.5, 9.75, 30});
  result.figures.push_back(figure_json({.name = "a_turn_saves_us",
                                        .unit = "us",
                                        .opponent = "none",
                                        .how = {.op = "difference_of_medians",
                                                .numerator = "flag/100 turns/copy",
                                                .denominator = "flag/100 turns/mapped"}},
                                       result.samples));
  result.figures.push_back(figure_json({.name = "flag_mapped_vs_copy",
                                        .unit = "ratio",
                                        .opponent = "the article's loop with two cudaMemcpy a turn",
                                        .how = {.op = "ratio_of_medians",
                                                .numerator = "flag/100 turns/copy",
                                                .denominator = "flag/100 turns/mapped"}},
                                       result.samples));
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv, argv + argc);
  if (argc < 2) {
    return 2;
  }
  try {
    measure::topic what{"compare", "", invented};
    for (const auto& one : measure::topics()) {
      what = argc > 2 && one.name == arguments[2] ? one : what;
    }
    const measure::topic_request asked{.where = pinhole::device::cpu(),
                                       .full = false,
                                       .most_repeats = 3,
                                       .progress = [](std::string_view, double) {}};
    const auto result = what.measure(asked);
    pinhole::platform::replace_file(
        arguments[1], pinhole::tool::pretty(results_json(what, result, asked, arguments)));
    for (const auto& line : result.missing) {
      std::puts(line.c_str());
    }
    return 0;
  } catch (const std::exception& failed) {
    std::fprintf(stderr, "%s\n", failed.what());
    return 1;
  }
}
