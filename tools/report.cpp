// `pinhole report`: what a machine does, on one page.
#include <fmt/format.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "platform/linux/replace_file.hpp"
#include "tools/command.hpp"
#include "tools/device_text.hpp"
#include "tools/profile_choice.hpp"
#include "tools/report_data.hpp"
#include "tools/report_page.hpp"
#include "tools/support/failure.hpp"
#include "tools/support/help_page.hpp"

namespace pinhole::tool {

namespace {

struct report_options {
  std::vector<std::string> from;
  std::string output;
  std::string device;
};

json parsed(const std::string& path) {
  std::error_code unknown;
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path, unknown)) {
    throw failure(fmt::format("--from: cannot read '{}'; allowed are files", path));
  }
  const std::string text(std::istreambuf_iterator<char>(file), {});
  auto read = json::parse(text, nullptr, false);
  if (!read.is_object()) {
    throw failure(fmt::format(
        "--from: '{}' is not a JSON object; allowed are what pinhole wrote with --json or -o",
        path));
  }
  return read;
}

int write_page(const report_options& given) {
  if (given.output.empty()) {
    throw failure("-o is missing; allowed is a file name, or - for standard output");
  }
  require_page("-o", given.output);
  report_data shown;
  for (const auto& path : given.from) {
    const auto name = std::filesystem::path(path).filename().string();
    if (const auto text = shipped_profile(path); !text.empty()) {
      shown.add(name, read_profile(text));
    } else {
      shown.add(name, parsed(path));
    }
  }
  if (given.from.empty()) {
    shown.add("the profile of this machine", profile_of_this_machine(choose_device(given.device)));
  }
  const auto page = report_page(shown.page());
  if (given.output == "-") {
    print(page);
    return done;
  }
  platform::replace_file(given.output, page);
  print(fmt::format("{}\n", given.output));
  return done;
}

}  // namespace

void add_report(CLI::App& app, const context& /*given*/, action& chosen) {
  auto options = std::make_shared<report_options>();
  auto* const command = app.add_subcommand("report", "");
  command->add_option("--from", options->from, "names of files that pinhole wrote");
  command->add_option("-o,--output", options->output, "a file name, or - for standard output");
  command->add_option("--device", options->device, "a device, such as cpu or cuda:0");
  command->callback([options, &chosen] { chosen = [options] { return write_page(*options); }; });
}

}  // namespace pinhole::tool
