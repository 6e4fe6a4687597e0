// Every figure of a profile by name: reading, writing and their tests go over this one list.
#pragma once

#include <string>
#include <string_view>

#include "pinhole/advice/machine_profile.hpp"

namespace pinhole::advice {

/// What a figure can sensibly be. Everything outside was measured wrongly or typed by hand.
struct allowed_range {
  double least;
  double most;
};

inline constexpr allowed_range any_time_us{0, 1e8};
inline constexpr allowed_range any_rate{1e-3, 1e5};  // GB/s, requests/us
inline constexpr allowed_range any_share{0, 1};
inline constexpr allowed_range some_share{1e-3, 1};  // of what would take forever at none
inline constexpr allowed_range any_size_mib{1e-6, 1e9};

template <class Access, class Visit>
void visit_device_access(const std::string& path, Access& of, Visit&& visit) {
  visit(path + ".latency_us", of.latency_us, any_time_us);
  visit(path + ".gb_per_s", of.gb_per_s, any_rate);
  visit(path + ".requests_per_us", of.requests_per_us, any_rate);
  visit(path + ".again_share", of.again_share, any_share);
  visit(path + ".cache_mib", of.cache_mib, any_size_mib);
  if (of.again_us) {
    visit(path + ".again_us", *of.again_us, any_time_us);
  }
}

template <class Access, class Visit>
void visit_host_access(const std::string& path, Access& of, Visit&& visit) {
  visit(path + ".per_run_us", of.per_run_us, any_time_us);
  visit(path + ".gb_per_s", of.gb_per_s, any_rate);
}

template <class Copies, class Visit>
void visit_copies(const std::string& path, Copies& of, Visit&& visit) {
  visit(path + ".overhead_us", of.overhead_us, any_time_us);
  visit(path + ".next_us", of.next_us, any_time_us);
  visit(path + ".gb_per_s", of.gb_per_s, any_rate);
}

template <class Costs, class Visit>
void visit_placement(Costs& of, Visit&& visit) {
  visit(std::string("setup_us"), of.setup_us, any_time_us);
  visit(std::string("setup_us_per_mib"), of.setup_us_per_mib, any_time_us);
  if (of.pooled_mib) {
    visit(std::string("pooled_mib"), *of.pooled_mib, any_size_mib);
  }
  visit(std::string("page_reach_mib"), of.page_reach_mib, any_size_mib);
  visit(std::string("page_walk_ns"), of.page_walk_ns, any_time_us);
}

/// visit(path, figure, allowed range) for each figure that every machine has, then for those that
/// the profile has besides. `Profile` may be const.
template <class Profile, class Visit>
void visit_figures(Profile& of, Visit&& visit) {
  visit(std::string("launch_wait_us"), of.launch_wait_us, any_time_us);
  if (of.mailbox_us) {
    visit(std::string("mailbox_us"), *of.mailbox_us, any_time_us);
  }
  visit_copies("to_device", of.to_device, visit);
  visit_copies("to_host", of.to_host, visit);
  visit_device_access("link_read", of.link_read, visit);
  visit_device_access("link_write", of.link_write, visit);
  visit_device_access("local_read", of.local_read, visit);
  visit_device_access("local_write", of.local_write, visit);
  visit_host_access("memory_read", of.memory_read, visit);
  visit_host_access("memory_write", of.memory_write, visit);
  visit_host_access("cached_read", of.cached_read, visit);
  visit_host_access("cached_write", of.cached_write, visit);
  visit(std::string("cpu_cache_mib"), of.cpu_cache_mib, any_size_mib);
  if (of.vram_read && of.vram_write) {
    visit_host_access("vram_read", *of.vram_read, visit);
    visit_host_access("vram_write", *of.vram_write, visit);
  }
  visit(std::string("busy_copy_wait_us"), of.busy_copy_wait_us, any_time_us);
  visit(std::string("busy_link_share"), of.busy_link_share, some_share);
  if (of.busy) {
    visit(std::string("busy.launch_us"), of.busy->launch_us, any_time_us);
    visit(std::string("busy.latency_us"), of.busy->latency_us, any_time_us);
    visit(std::string("busy.queue_us"), of.busy->queue_us, any_time_us);
    visit(std::string("busy.small_copy_mib"), of.busy->small_copy_mib, any_size_mib);
  }
  if (of.vram_fetch) {
    visit(std::string("vram_fetch.fetch_us"), of.vram_fetch->fetch_us, any_time_us);
    visit(std::string("vram_fetch.busy_load_share"), of.vram_fetch->busy_load_share, some_share);
  }
}

}  // namespace pinhole::advice
