// Parses with nlohmann-json, which checks the grammar, and checks the rest.
#include "advice/strict_json.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "pinhole/core/error.hpp"

namespace pinhole::advice {

namespace {

using nlohmann::json;

constexpr std::size_t most_bytes = 1U << 20U;
constexpr int most_depth = 8;
constexpr std::size_t most_text = 200;
constexpr const char* as_written = "allowed is JSON as `pinhole calibrate` writes it";

/// What stands in the file, cut to a length that fits in a message.
std::string shown(const json& value) {
  std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  constexpr std::size_t most_shown = 40;
  if (text.size() > most_shown) {
    text.resize(most_shown);
    text += "...";
  }
  return text;
}

/// Watches the parser: nlohmann-json itself would keep the last of two members with one name.
class watcher {
 public:
  bool operator()(int depth, json::parse_event_t event, const json& parsed) {
    if (depth > most_depth) {
      refuse_profile("it is nested more than 8 deep", as_written);
    }
    if (event == json::parse_event_t::object_start) {
      names_.emplace_back();
    } else if (event == json::parse_event_t::object_end) {
      names_.pop_back();
    } else if (event == json::parse_event_t::key) {
      const auto& name = parsed.get_ref<const std::string&>();
      if (!names_.back().insert(name).second) {
        refuse_profile("two members have the name " + shown(parsed), as_written);
      }
    }
    return true;
  }

 private:
  std::vector<std::set<std::string>> names_;
};

std::string range_text(double least, double most) {
  return "allowed are numbers from " + json(least).dump() + " to " + json(most).dump();
}

}  // namespace

void refuse_profile(const std::string& what, const std::string& allowed) {
  pinhole::detail::reject("read the machine profile", what + "; " + allowed);
}

json parse_strictly(std::string_view text) {
  if (text.size() > most_bytes) {
    refuse_profile("it has more than 1 MiB", as_written);
  }
  watcher watching;
  try {
    return json::parse(text, std::ref(watching));
  } catch (const json::parse_error& wrong) {
    const auto end = std::min(wrong.byte, text.size());
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(end), '\n');
    const bool is_cut_off = wrong.byte > text.size();
    refuse_profile(
        (is_cut_off ? "it is cut off in line " : "it is no JSON in line ") + std::to_string(line),
        as_written);
  } catch (const json::exception&) {
    // A number that no double holds.
    refuse_profile("a number in it is too large", as_written);
  }
}

strict_object::strict_object(const json& value, std::string path)
    : value_(&value), path_(std::move(path)) {
  if (!value.is_object()) {
    refuse_profile((path_.empty() ? std::string("it") : path_) + " is " + shown(value),
                   "allowed is an object");
  }
}

bool strict_object::has(std::string_view name) const {
  return value_->find(name) != value_->end();
}

std::string strict_object::path_of(std::string_view name) const {
  return path_.empty() ? std::string(name) : path_ + "." + std::string(name);
}

const json& strict_object::member(std::string_view name, const char* wanted) {
  const auto found = value_->find(name);
  if (found == value_->end()) {
    refuse_profile(path_of(name) + " is missing", std::string("allowed is ") + wanted);
  }
  read_.emplace_back(name);
  return *found;
}

strict_object strict_object::object(std::string_view name) {
  return {member(name, "an object"), path_of(name)};
}

double strict_object::number(std::string_view name, double least, double most) {
  const json& found = member(name, "a number");
  const double value = found.is_number() ? found.get<double>() : std::nan("");
  // Not a number is not in the range either.
  if (!(value >= least && value <= most)) {
    refuse_profile(path_of(name) + " is " + shown(found), range_text(least, most));
  }
  return value;
}

std::uint64_t strict_object::whole(std::string_view name, std::uint64_t most) {
  const json& found = member(name, "a whole number");
  if (!found.is_number_unsigned() || found.get<std::uint64_t>() > most) {
    refuse_profile(path_of(name) + " is " + shown(found),
                   "allowed are whole numbers from 0 to " + std::to_string(most));
  }
  return found.get<std::uint64_t>();
}

std::string strict_object::text(std::string_view name) {
  const json& found = member(name, "text");
  if (!found.is_string() || found.get_ref<const std::string&>().size() > most_text) {
    refuse_profile(path_of(name) + " is " + shown(found),
                   "allowed is text of at most " + std::to_string(most_text) + " bytes");
  }
  return found.get<std::string>();
}

std::vector<std::string> strict_object::names() const {
  std::vector<std::string> all;
  for (const auto& [name, unused] : value_->items()) {
    all.push_back(name);
  }
  return all;
}

void strict_object::require_all_read() const {
  for (const auto& name : names()) {
    if (std::ranges::find(read_, name) == read_.end()) {
      refuse_profile(path_of(shown(name)) + " is no field of a profile", as_written);
    }
  }
}

}  // namespace pinhole::advice
