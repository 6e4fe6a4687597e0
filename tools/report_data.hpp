// What the page of `pinhole report` shows: gathered from files of results, and from the model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pinhole/advice/machine_profile.hpp"
#include "tools/support/report.hpp"

namespace pinhole::tool {

/// Takes files one after the other, then gives what the page's script draws. All of them must be of
/// one device: figures of two on one page would be compared.
class report_data {
 public:
  /// A report of `compare`, with or without --regret, a file of results, or a profile. `source`
  /// names it in what is said about it. Throws failure for anything else.
  void add(const std::string& source, const json& file);
  /// What the model is drawn by.
  void add(const std::string& source, const machine_profile& profile);

  [[nodiscard]] json page() const;

 private:
  void require_device(const std::string& source, const std::string& name);
  void add_trials(const json& trials);
  void add_regret(const json& file);

  std::string device_;
  std::string device_source_;
  bool is_cpu_ = false;
  json facts_ = json::array();
  std::vector<std::string> sources_;
  std::optional<machine_profile> profile_;
  json points_ = json::object();  ///< measured points of the crossover, by placement
  json scenarios_ = json::array();
  std::optional<json> regret_;
};

/// What the model says, for the page's charts: "crossover" (with the points that were measured),
/// "map", "cliff" and "ladder".
[[nodiscard]] json model_charts(const machine_profile& profile, const json& points);

}  // namespace pinhole::tool
