// Advice in words, and as the code that follows it.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

#include "pinhole/advice/advise.hpp"
#include "pinhole/core/units.hpp"

namespace pinhole {

namespace {

std::string time_text(double us) {
  return format_duration(std::chrono::nanoseconds(std::llround(us * 1e3)));
}

std::string bytes_text(double bytes) {
  return format_bytes(static_cast<std::uint64_t>(bytes));
}

/// "1.34"; two digits behind the point are enough for a sentence.
std::string ratio_text(double ratio) {
  const auto hundredths = std::llround(ratio * 100);
  const auto rest = std::to_string(hundredths % 100);
  return std::to_string(hundredths / 100) + "." + (rest.size() < 2 ? "0" : "") + rest;
}

std::string share_text(double part, double whole) {
  return std::to_string(std::llround(100 * part / whole)) + " %";
}

double part_of(const forecast& one) {
  const auto& terms = one.terms;
  switch (one.limit) {
    case bound::launch:
      return terms.launch + terms.latency;
    case bound::cpu:
      return terms.host + terms.user_copy;
    case bound::copy_engine:
      return terms.copies;
    case bound::busy_link:
      return terms.copy_queue;
    case bound::link_rate:
    case bound::link_requests:
    case bound::device_memory:
      return std::max(terms.bytes, terms.requests);
    case bound::page_walks:
      return terms.page_walks;
    case bound::setup:
      break;
  }
  return terms.setup;
}

/// What takes the time, and what would make it less.
std::string limit_sentence(const forecast& one) {
  const std::string share = share_text(part_of(one), one.us) + " of a call is ";
  switch (one.limit) {
    case bound::launch:
      return share + "launching the kernel and waiting for it, whatever the placement";
    case bound::cpu:
      return share + "what the CPU itself reads and writes";
    case bound::copy_engine:
      return share + "explicit copies";
    case bound::busy_link:
      return share + "copies that wait until the link's other traffic is through";
    case bound::link_rate:
      return share + "bytes on the link, at its rate";
    case bound::link_requests:
      return share + "single requests on the link: larger units would cost no more";
    case bound::page_walks:
      return share +
             "page walks, as the accesses are spread beyond the reach of the device's page cache: "
             "work through the data part by part";
    case bound::device_memory:
      return share + "the device's own memory, where the kernel works at full speed";
    case bound::setup:
      break;
  }
  return share + "making and filling the buffer: keep it for more calls";
}

std::string lead_sentence(const recommendation& given) {
  const auto& best = given.best();
  for (const auto& other : given.ranking()) {
    if (other.problem == obstacle::none && other.how != best.how && !given.is_near_tie(other)) {
      return name_of(best) + " is " + ratio_text(other.us / best.us) + " times as fast as " +
             name_of(other);
    }
  }
  return "all placements are as good as " + name_of(best);
}

std::string tie_sentence(const recommendation& given) {
  std::string names;
  for (const auto& other : given.ranking().subspan(1)) {
    if (given.is_near_tie(other)) {
      names += (names.empty() ? "" : ", ") + name_of(other);
    }
  }
  return names.empty() ? "" : "within 5 %, so that the model cannot tell: " + names;
}

std::string obstacle_sentence(const forecast& one, const access_pattern& pattern,
                              const machine_profile& profile) {
  switch (one.problem) {
    case obstacle::pin_budget:
      return name_of(one) + " would pin " + format_bytes(one.pinned_bytes) + ", and " +
             format_bytes(std::min(profile.pin_budget_bytes, pattern.most_pinned_bytes)) +
             " may be pinned";
    case obstacle::device_memory:
      return name_of(one) + " needs " + format_bytes(pattern.bytes) +
             " of the device's memory, which has " + format_bytes(profile.device_memory_bytes);
    case obstacle::written_file:
      return name_of(one) + " is refused for files that the kernel writes";
    case obstacle::none:
      break;
  }
  return {};
}

/// Calls that come faster than they are done.
std::string rate_sentence(const forecast& best, const access_pattern& pattern) {
  if (!pattern.calls_per_second) {
    return {};
  }
  const double period_us = 1e6 / *pattern.calls_per_second;
  return best.us > period_us
             ? "a call is due every " + time_text(period_us) + " and takes " + time_text(best.us) +
                   ": this machine cannot keep up"
             : "a call takes " + share_text(best.us, period_us) + " of the time until the next";
}

std::string mailbox_sentence(const forecast& best, const machine_profile& profile) {
  if (!profile.mailbox_us || best.limit != bound::launch ||
      profile.mailbox_us->value > best.terms.launch / 2) {
    return {};
  }
  return "a kernel that stays, with a mailbox, answers in " + time_text(profile.mailbox_us->value) +
         " instead of the " + time_text(best.terms.launch) + " that a launch takes";
}

std::string buffer_type(const forecast& one) {
  return std::string(to_string(one.how)) + "_buffer<T>";
}

}  // namespace

std::string name_of(const forecast& one) {
  return std::string(to_string(one.how)) + (one.overlaps ? ", with overlap" : "");
}

std::string_view to_string(bound limit) noexcept {
  constexpr std::array<std::string_view, 9> names = {"launch",     "CPU",           "copy engine",
                                                     "busy link",  "link rate",     "link requests",
                                                     "page walks", "device memory", "set-up"};
  return names.at(static_cast<std::size_t>(limit));
}

std::vector<std::string> reasons(const recommendation& given, const access_pattern& pattern,
                                 const machine_profile& profile) {
  const auto& best = given.best();
  std::vector<std::string> all = {lead_sentence(given), limit_sentence(best)};
  all.push_back(tie_sentence(given));
  all.push_back(rate_sentence(best, pattern));
  all.push_back(mailbox_sentence(best, profile));
  if (best.how == placement::staged) {
    all.push_back("copying is right here: " + bytes_text(best.bytes_to_device) +
                  " go to the device in a call and " + bytes_text(best.bytes_to_host) +
                  " come back");
  }
  for (const auto& one : given.ranking()) {
    all.push_back(obstacle_sentence(one, pattern, profile));
  }
  std::erase(all, "");
  return all;
}

std::string code_for(const forecast& one, const access_pattern& pattern) {
  const bool is_users = pattern.memory != memory_origin::fresh;
  std::string code;
  if (one.how == placement::registered && !is_users) {
    code = "auto data = pinhole::make_buffer<T>(gpu, n, pinhole::placement::registered);\n";
  } else {
    code = "pinhole::" + buffer_type(one) + " data(gpu, " +
           (one.how == placement::registered ? "std::span<T>(yours, n)" : "n") + ");\n";
  }
  const std::string range = one.copies_runs || one.overlaps ? ", first, count" : "";
  const std::string each = one.overlaps      ? "  // for each piece, on two streams in turn"
                           : one.copies_runs ? "  // for each run that is touched"
                                             : "";
  if (does_write(pattern.host)) {
    code += one.how == placement::vram ? "data.write(first, in);\n" : "fill(data.host());\n";
  }
  code += "data.to_device(work" + range + ");" + each + "\n";
  code += "kernel<<<blocks, threads, 0, work.native()>>>(data.device());\n";
  if (does_write(pattern.device) && does_read(pattern.host)) {
    code += "data.to_host(work" + range + ");\n";
  } else if (one.how != placement::staged) {
    code += "data.to_host(work);  // moves nothing\n";
  }
  return code + "work.wait(1s);\n";
}

}  // namespace pinhole
