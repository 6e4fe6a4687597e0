// `pinhole calibrate`: measures this machine and writes its profile.
#include "pinhole/advice/calibrate.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "advice/profile_fields.hpp"
#include "platform/linux/replace_file.hpp"
#include "tools/command.hpp"
#include "tools/device_text.hpp"
#include "tools/profile_choice.hpp"
#include "tools/support/failure.hpp"
#include "tools/support/numbers.hpp"
#include "tools/support/table.hpp"

namespace pinhole::tool {

namespace {

struct calibrate_options {
  std::string device;
  std::string output;
  bool quick = false;
  bool full = false;
};

/// Tries whether the file can be written, so that nothing is measured in vain.
std::string file_to_write(const calibrate_options& given, const device& where) {
  if (given.output == "-") {
    return given.output;
  }
  const auto path = given.output.empty() ? profile_path(identity_of(where)) : given.output;
  if (path.empty()) {
    throw failure(
        "there is no folder for the profile, as neither XDG_CACHE_HOME nor HOME is set; allowed is "
        "-o FILE");
  }
  if (given.output.empty()) {
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  }
  try {
    platform::check_replaceable(path);
  } catch (const error& refused) {
    throw failure(fmt::format("-o: {}", refused.what()));
  }
  return path;
}

std::string figures_text(const machine_profile& profile) {
  table rows({{"figure", align::left}, {"median"}, {"10th to 90th percentile"}});
  const auto add = [&](const std::string& name, const figure& of, advice::allowed_range /*any*/) {
    rows.add({name, short_number(of.value),
              fmt::format("{} to {}", short_number(of.low), short_number(of.high))});
  };
  advice::visit_figures(profile, add);
  for (const auto& one : profile.placements) {
    advice::visit_placement(
        one, [&](const std::string& name, const figure& of, advice::allowed_range any) {
          add(fmt::format("{}.{}", to_string(one.how), name), of, any);
        });
  }
  return rows.text(wants_colours(platform::standard_stream::output));
}

int calibrate_machine(const calibrate_options& given) {
  if (given.quick && given.full) {
    throw failure("--quick and --full: allowed is one of them");
  }
  const auto where = choose_device(given.device);
  const auto path = file_to_write(given, where);
  const auto start = std::chrono::steady_clock::now();
  const auto profile =
      measured_profile(where, given.full ? calibration_depth::full : calibration_depth::quick);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  if (path == "-") {
    print(to_json(profile));
    return done;
  }
  save_profile(profile, path);
  print(profile_text(profile) + "\n" + figures_text(profile) +
        fmt::format("written to {} after {:.1f} s\n", path, took.count()));
  return done;
}

}  // namespace

void add_calibrate(CLI::App& app, const context& /*given*/, action& chosen) {
  auto options = std::make_shared<calibrate_options>();
  auto* const command = app.add_subcommand("calibrate", "");
  command->add_option("--device", options->device, "a device, such as cpu or cuda:0");
  command->add_option("-o,--output", options->output, "a file name, or - for standard output");
  command->add_flag("--quick", options->quick, "no value");
  command->add_flag("--full", options->full, "no value");
  command->callback(
      [options, &chosen] { chosen = [options] { return calibrate_machine(*options); }; });
}

}  // namespace pinhole::tool
