// pinhole_measure: measures one topic on a GPU and writes its file of results. scripts/measure runs
// it for every topic.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "benchmarks/measure.hpp"
#include "pinhole/core/error.hpp"
#include "pinhole_build_info.hpp"
#include "platform/linux/replace_file.hpp"
#include "platform/linux/standard_streams.hpp"
#include "scenarios/runner.hpp"
#include "tools/support/failure.hpp"
#include "tools/support/nearest.hpp"
#include "tools/support/progress_bar.hpp"

namespace {

using pinhole::tool::failure;
namespace measure = pinhole::measure;
namespace platform = pinhole::platform;

struct options {
  std::string topic;
  std::string out;
  bool allow_dirty = false;
  bool list = false;
};

const measure::topic& chosen_topic(const std::string& name) {
  std::vector<std::string> allowed;
  for (const auto& one : measure::topics()) {
    if (one.name == name) {
      return one;
    }
    allowed.emplace_back(one.name);
  }
  throw failure("TOPIC: " + pinhole::tool::not_allowed(name, "a topic", allowed));
}

void refuse_what_nobody_could_trust(const options& asked) {
  if (pinhole::build_is_dirty() && !asked.allow_dirty) {
    throw failure(
        "this program was built from files that differ from their commit, so its figures could not "
        "be traced; commit and build again, or --allow-dirty, which the results will say");
  }
  if (const auto why = pinhole::device::why_no_gpu(); !why.empty()) {
    throw failure("figures are measured on a GPU, and there is none: " + why);
  }
}

std::string list_text() {
  std::string text;
  for (const auto& one : measure::topics()) {
    text += fmt::format("{}\n", one.name);
  }
  return text;
}

/// The path of the results file. Its folder is made.
std::string results_path(const options& asked, const measure::topic& topic,
                         const pinhole::device& gpu) {
  const std::filesystem::path folder =
      asked.out.empty() ? std::filesystem::path("results") / measure::machine_name(gpu)
                        : std::filesystem::path(asked.out);
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    throw failure(
        fmt::format("--out: cannot make the folder '{}': {}", folder.string(), failed.message()));
  }
  return (folder / (std::string(topic.name) + ".json")).string();
}

int run(const options& asked, const std::vector<std::string>& command_line) {
  if (asked.list) {
    platform::write_all(platform::standard_stream::output, list_text());
    return pinhole::tool::done;
  }
  const auto& topic = chosen_topic(asked.topic);
  refuse_what_nobody_could_trust(asked);
  const auto gpu = pinhole::device::first();
  const std::string path = results_path(asked, topic, gpu);
  platform::check_replaceable(path);

  pinhole::tool::progress_bar bar(std::chrono::seconds(5));
  const measure::topic_request request{
      .where = gpu, .progress = [&](std::string_view what, double done) { bar.show(what, done); }};
  const auto measured = topic.measure(request);
  bar.wipe();
  for (const auto& [name, text] : measured.files) {
    const auto beside = std::filesystem::path(path).parent_path() / name;
    std::filesystem::create_directories(beside.parent_path());
    platform::replace_file(beside.string(), text);
  }
  platform::replace_file(
      path, pinhole::tool::pretty(measure::results_json(topic, measured, request, command_line)));
  platform::write_all(platform::standard_stream::output,
                      fmt::format("{}: {} figures\n", path, measured.figures.size()));
  if (!measured.missing.empty()) {
    throw failure(fmt::format("not measured: {}", fmt::join(measured.missing, "; ")),
                  pinhole::tool::wrong);
  }
  return pinhole::tool::done;
}

int complain(const std::string& what, int code) {
  platform::write_all(platform::standard_stream::error, "pinhole_measure: " + what + "\n");
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  platform::prepare_standard_streams();
  options asked;
  CLI::App app("Measures one topic on a GPU and writes <out>/<topic>.json.", "pinhole_measure");
  app.add_option("TOPIC", asked.topic, "what to measure");
  app.add_option("--out", asked.out, "folder of the results; by default results/<machine>");
  app.add_flag("--allow-dirty", asked.allow_dirty,
               "also from a build that differs from its commit");
  app.add_flag("--list", asked.list, "name the topics, and end");
  try {
    app.parse(argc, argv);
    return run(asked, std::vector<std::string>(argv, argv + argc));
  } catch (const CLI::ParseError& refused) {
    return app.exit(refused) == 0 ? pinhole::tool::done : pinhole::tool::bad_input;
  } catch (const failure& ended) {
    return complain(ended.what(), ended.code());
  } catch (const pinhole::scenarios::wrong_result& differs) {
    return complain(std::string("wrong result: ") + differs.what(), pinhole::tool::wrong);
  } catch (const pinhole::error& failed) {
    return complain(failed.what(), pinhole::tool::code_for(failed.kind()));
  } catch (const std::exception& unforeseen) {
    return complain(unforeseen.what(), pinhole::tool::bad_input);
  }
}
