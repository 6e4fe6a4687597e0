// Tests of pinhole/advice/machine_profile.hpp: what is written is read again, and nothing else is.
#include "pinhole/advice/machine_profile.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "advice/profile_fields.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/unit/advice/sample_profile.hpp"

namespace pinhole {
namespace {

using test::exactly;
using test::expect_error;
using test::sample_profile;

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// The text is refused, and each of `parts` stands in the message.
void expect_refused(const std::string& text, std::initializer_list<std::string_view> parts) {
  expect_error(fault::invalid_argument, parts, [&] { (void)read_profile(text); });
}

void expect_round_trip(const machine_profile& of) {
  const std::string text = to_json(of);
  EXPECT_EQ(to_json(read_profile(text)), text);
}

TEST(machine_profile, is_read_as_it_was_written) {
  auto profile = sample_profile();
  expect_round_trip(profile);
  profile.launch_wait_us = {.value = 1.0 / 3, .low = 0.1, .high = 1e7};
  profile.machine.device = "quotes \" and \\ and \n lines, \u00e9";
  expect_round_trip(profile);
  EXPECT_EQ(read_profile(to_json(profile)).machine, profile.machine);
}

/// tests/cli and tests/fuzz use it.
TEST(machine_profile, is_what_the_sample_file_holds) {
  EXPECT_EQ(to_json(load_profile(PINHOLE_SOURCE "/tests/cli/advice/sample.json")),
            to_json(sample_profile()));
}

TEST(machine_profile, may_lack_what_a_machine_may_lack) {
  auto profile = sample_profile();
  profile.mailbox_us.reset();
  profile.vram_read.reset();
  profile.vram_write.reset();
  std::erase_if(profile.placements, [](const auto& one) { return one.how == placement::vram; });
  expect_round_trip(profile);
  EXPECT_EQ(read_profile(to_json(profile)).find(placement::vram), nullptr);
}

TEST(machine_profile, keeps_figures_that_older_profiles_lack) {
  auto profile = sample_profile();
  profile.busy = busy_costs{exactly(1), exactly(2), exactly(3), exactly(0.5)};
  profile.vram_fetch = vram_fetches{exactly(5), exactly(0.25)};
  profile.link_read.again_us = exactly(6);
  profile.local_read.again_us = exactly(7);
  profile.placements.front().pooled_mib = exactly(8);
  expect_round_trip(profile);
  const auto read = read_profile(to_json(profile));
  EXPECT_EQ(read.busy.value().queue_us.value, 3);
  EXPECT_EQ(read.vram_fetch.value().busy_load_share.value, 0.25);
  EXPECT_EQ(read.local_read.again_us.value().value, 7);
}

TEST(machine_profile, refuses_a_text_that_is_cut_off_anywhere) {
  const std::string text = to_json(sample_profile());
  for (std::size_t length = 0; length + 2 < text.size(); length += 7) {
    expect_refused(text.substr(0, length), {"cannot read the machine profile", "allowed is JSON"});
  }
}

TEST(machine_profile, refuses_what_is_no_profile) {
  for (const char* text : {"[]", "3", "null", "\"text\"", "{}"}) {
    expect_refused(text, {"cannot read the machine profile", "allowed"});
  }
  expect_refused(std::string(100'000, '['), {"8 deep"});
  expect_refused(std::string(2'000'000, ' '), {"more than 1 MiB"});
  expect_refused(std::string("\0\xff", 2), {"no JSON in line 1"});
}

TEST(machine_profile, refuses_other_versions_and_says_which_is_older) {
  const std::string text = to_json(sample_profile());
  expect_refused(replaced(text, "\"version\": 1", "\"version\": 0"),
                 {"version is 0", "allowed is 1", "older"});
  expect_refused(replaced(text, "\"version\": 1", "\"version\": 2"),
                 {"version is 2", "allowed is 1", "newer"});
  expect_refused(replaced(text, "\"version\": 1", "\"version\": \"1\""), {"version is \"1\""});
  expect_refused(replaced(text, "pinhole machine profile", "something else"),
                 {"format is \"something else\""});
}

/// Every figure in turn gets every bad value, in each of its parts.
TEST(machine_profile, refuses_a_bad_value_in_any_figure_by_its_path) {
  const auto whole = sample_profile();
  std::vector<std::string> names;
  advice::visit_figures(whole, [&](const std::string& name, const figure&, advice::allowed_range) {
    names.push_back(name);
  });
  EXPECT_GT(names.size(), 25U);
  const std::string text = to_json(whole);
  for (const auto& name : names) {
    const auto start = text.find("\"" + name + "\": ");
    ASSERT_NE(start, std::string::npos) << name;
    for (const char* bad : {"-1", "1e300", "\"3\"", "null", "true", "[1]", "{}"}) {
      for (const char* part : {"value", "low", "high"}) {
        const std::string member = std::string("\"") + part + "\": ";
        const auto at = text.find(member, start) + member.size();
        const auto end = text.find_first_of(",}", at);
        expect_refused(std::string(text).replace(at, end - at, bad),
                       {"figures." + name + ".", "allowed"});
      }
    }
  }
}

TEST(machine_profile, refuses_numbers_that_are_none) {
  const std::string text = to_json(sample_profile());
  for (const char* bad : {"NaN", "nan", "Infinity", "-inf", "0x10", "01", "1e999", "+1", ""}) {
    expect_refused(replaced(text, "\"value\": 10.0", std::string("\"value\": ") + bad),
                   {"cannot read the machine profile"});
  }
}

TEST(machine_profile, refuses_spreads_that_do_not_hold_the_value) {
  const std::string text = to_json(sample_profile());
  expect_refused(replaced(text, "\"low\": 10.0", "\"low\": 11"), {"figures.launch_wait_us.low"});
  expect_refused(replaced(text, "\"high\": 10.0", "\"high\": 9"), {"figures.launch_wait_us.high"});
}

TEST(machine_profile, refuses_members_that_are_missing_unknown_or_twice_there) {
  const std::string text = to_json(sample_profile());
  expect_refused(replaced(text, "\"launch_wait_us\"", "\"launch_wait\""),
                 {"figures.launch_wait_us is missing"});
  expect_refused(replaced(text, "\"date\"", "\"extra\": 1,\n \"date\""), {"\"extra\"", "no field"});
  expect_refused(replaced(text, "\"date\"", "\"method\": \"full\",\n \"date\""),
                 {"two members have the name \"method\""});
  expect_refused(replaced(text, "\"vram\": {", "\"wram\": {"), {"placements.\"wram\"", "no field"});
  expect_refused(replaced(text, "\"staged\": {", "\"stage\": {"), {"placements.", "no field"});
  expect_refused(replaced(text, "\"kind\": \"cuda\"", "\"kind\": \"tpu\""), {"machine.kind"});
  expect_refused(replaced(text, "\"method\": \"full\"", "\"method\": \"by hand\""), {"method is"});
  expect_refused(replaced(text, "\"pin_budget_bytes\": 1", "\"pin_budget_bytes\": -1"),
                 {"pin_budget_bytes"});
}

TEST(machine_profile, says_what_changed_since) {
  const auto then = sample_profile().machine;
  EXPECT_EQ(what_changed(then, then), "");
  auto now = then;
  now.driver = "2.0";
  EXPECT_EQ(what_changed(then, now), "the driver was '1.0' and is '2.0'");
  now = then;
  now.kernel = "Linux 6.2";
  EXPECT_EQ(what_changed(then, now), "the kernel was 'Linux 6.1' and is 'Linux 6.2'");
  now = then;
  now.device_hash = "0000000000000000";
  EXPECT_EQ(what_changed(then, now), "it is another device of the same name");
}

TEST(machine_profile, describes_the_cpu_device_as_one) {
  const auto here = identity_of(device::cpu());
  EXPECT_EQ(here.kind, "cpu");
  EXPECT_EQ(here.link, "");
  EXPECT_EQ(here.device_hash.size(), 16U);
  EXPECT_EQ(here, identity_of(device::cpu()));
}

}  // namespace
}  // namespace pinhole
