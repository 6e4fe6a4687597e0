// Finds a profile, or measures one.
#include "tools/profile_choice.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "platform/linux/interrupt.hpp"
#include "platform/linux/standard_streams.hpp"
#include "tools/support/failure.hpp"
#include "tools/support/help_page.hpp"
#include "tools/support/nearest.hpp"
#include "tools/support/progress_bar.hpp"

namespace pinhole::tool {

namespace {

bool is_file_name(const std::string& name) {
  return name.find('/') != std::string::npos || name.ends_with(".json");
}

void note(const std::string& text) {
  platform::write_all(platform::standard_stream::error, "pinhole: " + text + "\n");
}

}  // namespace

std::vector<std::string> shipped_profiles() {
  std::vector<std::string> names;
  std::string_view rest = shipped_profile_names();
  while (!rest.empty()) {
    const auto end = rest.find('\n');
    names.emplace_back(rest.substr(0, end));
    rest.remove_prefix(end + 1);
  }
  return names;
}

machine_profile named_profile(const std::string& name) {
  if (const auto text = shipped_profile(name); !text.empty()) {
    return read_profile(text);
  }
  if (is_file_name(name)) {
    try {
      return load_profile(name);
    } catch (const error& refused) {
      throw failure(fmt::format("--profile: {}", refused.what()));
    }
  }
  throw failure("--profile: " + not_allowed(name, "a profile that ships", shipped_profiles()) +
                "; files are named with a slash or end in .json");
}

machine_profile measured_profile(const device& where, calibration_depth depth) {
  progress_bar bar;
  platform::defer_interrupts();
  return calibrate(where, {.depth = depth, .progress = [&](std::string_view what, double done) {
                             if (const int signal = platform::deferred_interrupt(); signal != 0) {
                               bar.wipe();
                               throw failure("interrupted; no profile was written", 128 + signal);
                             }
                             bar.show(what, done);
                           }});
}

std::optional<machine_profile> kept_profile(const device& where, std::string& why) {
  const auto here = identity_of(where);
  const auto path = profile_path(here);
  std::error_code unreachable;
  if (path.empty() || !std::filesystem::exists(path, unreachable)) {
    why = "this machine has no profile yet";
    return std::nullopt;
  }
  try {
    auto kept = load_profile(path);
    const auto changed = what_changed(kept.machine, here);
    if (changed.empty()) {
      return kept;
    }
    why = "the profile of this machine is stale: " + changed;
  } catch (const error& wrong) {
    why = wrong.what();
  }
  return std::nullopt;
}

machine_profile profile_of_this_machine(const device& where) {
  std::string why;
  if (auto kept = kept_profile(where, why)) {
    return *kept;
  }
  const auto path = profile_path(identity_of(where));
  note(why + "; measuring it, which takes some seconds");
  auto measured = measured_profile(where, calibration_depth::quick);
  try {
    if (path.empty()) {
      note("the profile is not kept, as neither XDG_CACHE_HOME nor HOME is set");
    } else {
      save_profile(measured, path);
    }
  } catch (const error& refused) {
    note(fmt::format("the profile is not kept: {}", refused.what()));
  }
  return measured;
}

std::string profile_text(const machine_profile& profile) {
  const auto& machine = profile.machine;
  const std::string measured =
      fmt::format("measured {} on {}", profile.method == "quick" ? "quickly" : "fully",
                  profile.date.substr(0, 10));
  if (machine.kind == "cpu") {
    return fmt::format("CPU device on {}: its times say nothing about a PCIe link; {}",
                       machine.cpu.empty() ? "an unknown CPU" : machine.cpu, measured);
  }
  return fmt::format("{}, {}, driver {}; {}", machine.device,
                     machine.link.empty() ? "link unknown" : machine.link, machine.driver,
                     measured);
}

}  // namespace pinhole::tool
