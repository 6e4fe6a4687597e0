// Profiles as JSON: one line a figure, and a reader that takes nothing on trust.
#include <algorithm>
#include <string>
#include <utility>

#include "advice/profile_fields.hpp"
#include "advice/strict_json.hpp"
#include "pinhole/advice/machine_profile.hpp"

namespace pinhole {

namespace {

using advice::allowed_range;
using advice::refuse_profile;
using advice::strict_object;
using nlohmann::json;

constexpr const char* format_name = "pinhole machine profile";
constexpr std::uint64_t format_version = 1;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 60U;

// ---- writing ---------------------------------------------------------------------------------

std::string json_text(const std::string& text) {
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string text_of(const figure& of) {
  return "{\"value\": " + json(of.value).dump() + ", \"low\": " + json(of.low).dump() +
         ", \"high\": " + json(of.high).dump() + "}";
}

/// Members of an object, one a line.
class lines {
 public:
  explicit lines(std::size_t indent) : margin_(indent, ' ') {}
  void add(const std::string& name, const std::string& value) {
    text_ += (text_.empty() ? "" : ",\n") + margin_ + json_text(name) + ": " + value;
  }
  [[nodiscard]] std::string object() const {
    return "{\n" + text_ + "\n" + margin_.substr(1) + "}";
  }

 private:
  std::string margin_;
  std::string text_;
};

std::string machine_text(const machine_identity& of) {
  lines all(2);
  all.add("kind", json_text(of.kind));
  all.add("device", json_text(of.device));
  all.add("device_hash", json_text(of.device_hash));
  all.add("driver", json_text(of.driver));
  all.add("kernel", json_text(of.kernel));
  all.add("cpu", json_text(of.cpu));
  all.add("link", json_text(of.link));
  return all.object();
}

std::string placements_text(const machine_profile& of) {
  lines all(2);
  for (const auto& one : of.placements) {
    lines costs(3);
    advice::visit_placement(
        one, [&](const std::string& name, const figure& value, allowed_range /*allowed*/) {
          costs.add(name, text_of(value));
        });
    all.add(std::string(to_string(one.how)), costs.object());
  }
  return all.object();
}

// ---- reading ---------------------------------------------------------------------------------

figure read_figure(strict_object& from, const std::string& name, allowed_range allowed) {
  strict_object parts = from.object(name);
  figure read;
  read.value = parts.number("value", allowed.least, allowed.most);
  read.low = parts.number("low", allowed.least, read.value);
  read.high = parts.number("high", read.value, allowed.most);
  parts.require_all_read();
  return read;
}

void require_format(strict_object& from) {
  if (const auto format = from.text("format"); format != format_name) {
    refuse_profile("format is " + json_text(format),
                   std::string("allowed is \"") + format_name + "\"");
  }
  constexpr std::uint64_t any_version = 1'000'000;
  const auto version = from.whole("version", any_version);
  if (version != format_version) {
    refuse_profile(
        "version is " + std::to_string(version),
        "allowed is " + std::to_string(format_version) +
            (version > format_version
                 ? "; the profile was written by a newer pinhole: use that, or calibrate "
                   "again with this one"
                 : "; the profile was written by an older pinhole: calibrate again"));
  }
}

machine_identity read_machine(strict_object from) {
  machine_identity read;
  read.kind = from.text("kind");
  if (read.kind != "cuda" && read.kind != "cpu") {
    refuse_profile(from.path_of("kind") + " is " + json_text(read.kind),
                   "allowed are \"cuda\" and \"cpu\"");
  }
  read.device = from.text("device");
  read.device_hash = from.text("device_hash");
  read.driver = from.text("driver");
  read.kernel = from.text("kernel");
  read.cpu = from.text("cpu");
  read.link = from.text("link");
  from.require_all_read();
  return read;
}

void read_figures(strict_object from, machine_profile& into) {
  if (from.has("mailbox_us")) {
    into.mailbox_us.emplace();
  }
  if (from.has("vram_read.gb_per_s")) {
    into.vram_read.emplace();
    into.vram_write.emplace();
  }
  if (from.has("busy.queue_us")) {
    into.busy.emplace();
  }
  if (from.has("vram_fetch.fetch_us")) {
    into.vram_fetch.emplace();
  }
  const std::pair<const char*, device_access*> again[] = {
      {"link_read.again_us", &into.link_read}, {"local_read.again_us", &into.local_read}};
  for (const auto& [name, access] : again) {
    if (from.has(name)) {
      access->again_us.emplace();
    }
  }
  advice::visit_figures(into, [&](const std::string& name, figure& value, allowed_range allowed) {
    value = read_figure(from, name, allowed);
  });
  from.require_all_read();
}

/// In the order of the enumeration, whatever the order in the text.
void read_placements(strict_object from, machine_profile& into) {
  for (const auto how : all_placements()) {
    const auto name = to_string(how);
    if (!from.has(name)) {
      continue;
    }
    auto& costs = into.placements.emplace_back();
    costs.how = how;
    strict_object fields = from.object(name);
    if (fields.has("pooled_mib")) {
      costs.pooled_mib.emplace();
    }
    advice::visit_placement(costs,
                            [&](const std::string& field, figure& value, allowed_range allowed) {
                              value = read_figure(fields, field, allowed);
                            });
    fields.require_all_read();
  }
  from.require_all_read();
  if (into.find(placement::staged) == nullptr) {
    refuse_profile(from.path_of("staged") + " is missing", "every machine can copy");
  }
  if (into.find(placement::vram) != nullptr && !into.vram_read) {
    refuse_profile("figures.vram_read.gb_per_s is missing", "placements.vram needs it");
  }
}

}  // namespace

const placement_costs* machine_profile::find(pinhole::placement how) const noexcept {
  const auto found = std::ranges::find(placements, how, &placement_costs::how);
  return found == placements.end() ? nullptr : &*found;
}

std::string to_json(const machine_profile& profile) {
  lines figures(2);
  advice::visit_figures(
      profile, [&](const std::string& name, const figure& value, allowed_range /*allowed*/) {
        figures.add(name, text_of(value));
      });
  lines all(1);
  all.add("format", json_text(format_name));
  all.add("version", std::to_string(format_version));
  all.add("date", json_text(profile.date));
  all.add("method", json_text(profile.method));
  all.add("machine", machine_text(profile.machine));
  all.add("pin_budget_bytes", std::to_string(profile.pin_budget_bytes));
  all.add("device_memory_bytes", std::to_string(profile.device_memory_bytes));
  all.add("figures", figures.object());
  all.add("placements", placements_text(profile));
  return all.object() + "\n";
}

machine_profile read_profile(std::string_view text) {
  const json parsed = advice::parse_strictly(text);
  strict_object from(parsed, "");
  require_format(from);
  machine_profile read;
  read.date = from.text("date");
  read.method = from.text("method");
  if (read.method != "quick" && read.method != "full") {
    refuse_profile("method is " + json_text(read.method), "allowed are \"quick\" and \"full\"");
  }
  read.machine = read_machine(from.object("machine"));
  read.pin_budget_bytes = from.whole("pin_budget_bytes", most_bytes);
  read.device_memory_bytes = from.whole("device_memory_bytes", most_bytes);
  read_figures(from.object("figures"), read);
  read_placements(from.object("placements"), read);
  from.require_all_read();
  return read;
}

}  // namespace pinhole
