// Puts the parts of the page together.
#include "tools/report_page.hpp"

#include <fmt/format.h>

#include <string_view>

#include "platform/linux/replace_file.hpp"
#include "tools/profile_choice.hpp"
#include "tools/report_data.hpp"
#include "tools/support/failure.hpp"
#include "tools/support/help_page.hpp"

namespace pinhole::tool {

namespace {

/// JSON in which no text can end the script element that it stands in.
std::string harmless(const json& data) {
  std::string text;
  for (const char one : data.dump(-1, ' ', false, json::error_handler_t::replace)) {
    one == '<' ? text += "\\u003c" : text += one;
  }
  return text;
}

}  // namespace

void require_charts() {
  if (page_part("chart.js").empty()) {
    throw failure(
        "this pinhole was built without charts, as Chart.js was not found; allowed is a build with "
        "Debian's package libjs-chart.js, or with -D PINHOLE_CHART_JS=<path of chart.min.js>");
  }
}

void require_page(const std::string& option, const std::string& file) {
  require_charts();
  if (file.empty()) {
    throw failure(fmt::format("{}: the file name is empty; allowed are names of files", option));
  }
  if (file == "-") {
    return;
  }
  try {
    platform::check_replaceable(file);
  } catch (const error& refused) {
    throw failure(fmt::format("{}: {}", option, refused.what()));
  }
}

std::string report_page(const json& data) {
  std::string page;
  std::string_view rest = page_part("page.html");
  for (auto at = rest.find("{{"); at != std::string_view::npos; at = rest.find("{{")) {
    page += rest.substr(0, at);
    const auto end = rest.find("}}", at);
    const auto part = rest.substr(at + 2, end - at - 2);
    part == "data" ? page += harmless(data) : page += page_part(part);
    rest.remove_prefix(end + 2);
  }
  return page += rest;
}

void write_page(const std::string& file, const json& report, const device& where) {
  report_data shown;
  std::string why;
  if (const auto kept = kept_profile(where, why); kept && !report.contains("profile")) {
    shown.add("the profile of this machine", *kept);
  }
  shown.add("this run", report);
  platform::replace_file(file, report_page(shown.page()));
}

}  // namespace pinhole::tool
