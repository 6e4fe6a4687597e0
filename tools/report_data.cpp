// Finds out what a file holds, and takes from it what the page shows.
#include "tools/report_data.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "pinhole/core/error.hpp"
#include "pinhole/core/units.hpp"
#include "scenarios/runner.hpp"
#include "tools/profile_choice.hpp"
#include "tools/support/failure.hpp"

namespace pinhole::tool {

namespace {

constexpr std::string_view whole_transfer = ", every element";

constexpr std::pair<const char*, const char*> roles[] = {
    {"naive_copy", "naive"}, {"expert_copy", "expert"}, {"in_place", "in place"}};

bool is_whole_transfer(const json& trial) {
  return trial.at("scenario") == "transfer" &&
         trial.at("label").get_ref<const std::string&>().ends_with(whole_transfer);
}

/// The fastest arm of each role.
json best_arms(const json& trial) {
  json best = json::object();
  for (const auto& [role, shown] : roles) {
    for (const auto& arm : trial.at("arms")) {
      const bool is_better = arm.at("role") == role &&
                             (!best.contains(shown) || arm.at("median_us") < best[shown]["us"]);
      if (is_better) {
        best[shown] = {{"name", arm.at("name")},
                       {"us", arm.at("median_us").get<double>()},
                       {"p99_us", arm.at("p99_us").get<double>()}};
      }
    }
  }
  return best;
}

std::string text_of(const json& from, const char* member) {
  const auto found = from.find(member);
  return found != from.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string source_text(const std::string& source, const json& file) {
  std::string text = fmt::format("{}: {}", source, text_of(file, "date"));
  if (const auto commit = text_of(file, "commit"); !commit.empty()) {
    text += fmt::format(", commit {}{}", commit.substr(0, 12),
                        file.value("dirty", false) ? " with changes" : "");
  }
  if (const auto command = file.find("command"); command != file.end()) {
    text += ",";
    for (const auto& word : *command) {
      text += " " + word.get<std::string>();
    }
  }
  return text;
}

json facts_of(const machine_profile& profile) {
  const auto& machine = profile.machine;
  json facts = json::array();
  const auto add = [&](const char* name, const std::string& text) {
    if (!text.empty()) {
      facts.push_back({name, text});
    }
  };
  add("device", machine.device);
  add("link", machine.link);
  add("driver", machine.driver);
  add("device memory", format_bytes(profile.device_memory_bytes));
  add("pin budget", format_bytes(profile.pin_budget_bytes));
  add("CPU", machine.cpu);
  add("kernel", machine.kernel);
  return facts;
}

json facts_of(const json& device, const json& machine) {
  json facts = json::array();
  const auto add = [&](const char* name, const std::string& text) {
    if (!text.empty()) {
      facts.push_back({name, text});
    }
  };
  add("device", text_of(device, "name"));
  add("driver", text_of(device, "driver"));
  add("CPU", text_of(machine, "cpu"));
  add("kernel", text_of(machine, "kernel"));
  return facts;
}

}  // namespace

void report_data::require_device(const std::string& source, const std::string& name) {
  if (!device_.empty() && device_ != name) {
    throw failure(
        fmt::format("--from: '{}' is of {}, and '{}' of {}; allowed are files of one device",
                    source, name, device_source_, device_));
  }
  device_ = name;
  device_source_ = source;
}

void report_data::add(const std::string& source, const machine_profile& profile) {
  require_device(source, profile.machine.device);
  is_cpu_ = profile.machine.kind == "cpu";
  facts_ = facts_of(profile);
  profile_ = profile;
  sources_.push_back(fmt::format("{}: {}", source, profile_text(profile)));
}

void report_data::add(const std::string& source, const json& file) {
  try {
    if (file.contains("format")) {
      add(source, read_profile(file.dump()));
      return;
    }
    const bool has_trials = file.contains("trials");
    const bool has_regret = file.contains("regret") && file.contains("patterns");
    if (!has_trials && !has_regret) {
      throw failure(
          fmt::format("--from: '{}' is nothing to show; allowed are what calibrate -o, compare "
                      "--json, compare --regret --json and measure write (topics compare, advice)",
                      source));
    }
    if (file.contains("device")) {
      require_device(source, file.at("device").at("name").get<std::string>());
      is_cpu_ = file.at("device").at("kind") == "cpu";
      if (!profile_) {
        facts_ = facts_of(file.at("device"), file.at("machine"));
      }
    }
    if (file.contains("profile")) {
      add(source, read_profile(file.at("profile").dump()));
    }
    if (has_trials) {
      add_trials(file.at("trials"));
    }
    if (has_regret) {
      add_regret(file);
    }
    sources_.push_back(source_text(source, file));
  } catch (const json::exception& broken) {
    throw failure(fmt::format("--from: '{}' is not whole: {}", source, broken.what()));
  } catch (const error& wrong) {
    throw failure(fmt::format("--from: '{}': {}", source, wrong.what()));
  }
}

void report_data::add_trials(const json& trials) {
  for (const auto& trial : trials) {
    if (is_whole_transfer(trial)) {
      for (const auto& arm : trial.at("arms")) {
        if (arm.at("placement").is_string()) {
          points_[arm.at("placement").get<std::string>()].push_back(
              {{"x", trial.at("units").get<double>()}, {"y", arm.at("median_us").get<double>()}});
        }
      }
      continue;
    }
    const auto& name = trial.at("scenario");
    if (scenarios_.empty() || scenarios_.back()["name"] != name) {
      scenarios_.push_back({{"name", name}, {"trials", json::array()}});
    }
    scenarios_.back()["trials"].push_back(
        {{"label", trial.at("label")}, {"arms", best_arms(trial)}});
  }
}

void report_data::add_regret(const json& file) {
  json points = json::object();
  for (const auto& pattern : file.at("patterns")) {
    for (const auto& one : pattern.at("placements")) {
      const double measured = scenarios::median(one.at("samples_us").get<std::vector<double>>()) +
                              one.at("setup_us").get<double>();
      points[one.at("placement").get<std::string>()].push_back(
          {{"x", measured}, {"y", one.at("predicted_us").get<double>()}});
    }
  }
  regret_ = json{{"count", file.at("patterns").size()},
                 {"choices", file.at("regret")},
                 {"predictions", file.at("predictions").at(0)},
                 {"points", std::move(points)}};
}

json report_data::page() const {
  json shown = {{"device", device_},
                {"note", is_cpu_ ? "The CPU device: its times say nothing about a PCIe link." : ""},
                {"facts", facts_},
                {"sources", sources_}};
  json missing = json::array();
  if (profile_) {
    shown.update(model_charts(*profile_, points_));
  } else {
    for (const auto& [name, points] : points_.items()) {
      shown["crossover"].push_back({{"name", name}, {"line", json::array()}, {"points", points}});
    }
    missing.push_back(
        "What the model says, the decision map, the footprint cliff and the latency ladder: "
        "pinhole calibrate -o FILE, then name the file after --from.");
  }
  if (scenarios_.empty()) {
    missing.push_back("The scenarios: pinhole compare --json FILE.");
  } else {
    shown["scenarios"] = scenarios_;
  }
  if (regret_) {
    shown["regret"] = *regret_;
  } else {
    missing.push_back("Whether the advice is right: pinhole compare --regret --json FILE.");
  }
  shown["missing"] = std::move(missing);
  return shown;
}

}  // namespace pinhole::tool
