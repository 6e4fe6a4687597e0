// Adds up latencies, overheads, bytes and requests; docs/concepts/cost-model.md says why.
#include "advice/cost_model.hpp"

#include <algorithm>
#include <cmath>

#include "advice/touch.hpp"
#include "advice/vram_loads.hpp"

namespace pinhole::advice {

namespace {

constexpr double request_bytes = 128;  // the most that one read of a multiprocessor carries
constexpr double sector_bytes = 32;    // the least
constexpr double page_bytes = 4096;    // in which the device maps host memory
constexpr double line_bytes = 64;      // of the CPU's caches
constexpr double mib = 1048576;
/// What a host reads at once of a long run, so that its caches still hold it.
constexpr double read_part_bytes = content_period * sizeof(std::uint32_t);

/// GB/s are kB/us.
double us_for(double bytes, double gb_per_s) {
  return bytes / (gb_per_s * 1e3);
}

double us_for(const shape& of, const host_access& access) {
  return of.runs * access.per_run_us.value + us_for(of.touched_bytes, access.gb_per_s.value);
}

/// The same for host memory, of which the CPU's caches hold some, unless the device has written it
/// since.
double us_for(const shape& of, const access_pattern& pattern, const machine_profile& profile,
              const host_access& cached, const host_access& beyond) {
  const double lines_mib = of.runs * std::ceil(of.run_bytes / line_bytes) * line_bytes / mib;
  const double cache_mib = does_write(pattern.device) ? 0 : profile.cpu_cache_mib.value;
  const double share = lines_mib > cache_mib ? 1 - cache_mib / lines_mib : 0;
  return us_for(of, cached) * (1 - share) + us_for(of, beyond) * share;
}

// ---- copies ----------------------------------------------------------------------------------

struct copy_forecast {
  double us = 0;
  double bytes = 0;
  bool runs = false;
};

/// How long the first copy waits for those of others. Both directions' queues empty meanwhile.
double queue_us(const access_pattern& pattern, const machine_profile& profile, bool is_up,
                double bytes_of_each) {
  if (pattern.link == link_traffic::idle) {
    return 0;
  }
  const bool is_small =
      is_up && profile.busy && bytes_of_each <= profile.busy->small_copy_mib.value * mib;
  return !profile.busy || is_small ? profile.busy_copy_wait_us.value : profile.busy->queue_us.value;
}

/// Everything in one copy, or every run in its own: the first run takes the overhead, the others
/// are queued behind it.
copy_forecast one_way(const access_pattern& pattern, const shape& of, const copy_costs& costs) {
  const auto everything = static_cast<double>(pattern.bytes);
  const double whole = us_for(everything, costs.gb_per_s.value);
  const double in_runs =
      (of.runs - 1) * costs.next_us.value + us_for(of.touched_bytes, costs.gb_per_s.value);
  const bool runs = in_runs < whole;
  return {.us = costs.overhead_us.value + std::min(whole, in_runs),
          .bytes = runs ? of.touched_bytes : everything,
          .runs = runs};
}

void add_copies(const access_pattern& pattern, const shape& of, const machine_profile& profile,
                forecast& into) {
  const auto add = [&](const copy_costs& costs, double& bytes) {
    const auto copy = one_way(pattern, of, costs);
    into.terms.copies += copy.us;
    into.copies_runs =
        into.copies_runs || (copy.runs && of.touched_bytes < static_cast<double>(pattern.bytes));
    bytes += copy.bytes;
    const bool is_up = &costs == &profile.to_device;
    into.terms.copy_queue =
        std::max(into.terms.copy_queue,
                 queue_us(pattern, profile, is_up, copy.runs ? of.run_bytes : copy.bytes));
  };
  if (does_write(pattern.host)) {
    add(profile.to_device, into.bytes_to_device);
  }
  if (does_write(pattern.device) && does_read(pattern.host)) {
    add(profile.to_host, into.bytes_to_host);
  }
}

// ---- kernels ---------------------------------------------------------------------------------

/// One direction of a kernel's accesses. `rate_share` is what other traffic leaves of the rate.
void add_access(const shape& of, double passes, const device_access& access,
                const placement_costs& costs, double rate_share, cost_terms& into) {
  const double by_bytes = us_for(of.link_bytes, access.gb_per_s.value * rate_share);
  const double by_requests = of.requests / (access.requests_per_us.value * rate_share);
  const bool is_cached = of.link_bytes <= access.cache_mib.value * mib;
  const double all_passes = 1 + (passes - 1) * (is_cached ? access.again_share.value : 1);
  (by_bytes >= by_requests ? into.bytes : into.requests) +=
      std::max(by_bytes, by_requests) * all_passes;
  into.latency +=
      access.latency_us.value + (access.again_us ? (passes - 1) * access.again_us->value : 0);
  // Of accesses all over the footprint, the share that the page cache holds is free.
  const double reach = costs.page_reach_mib.value;
  const double beyond = of.footprint_mib > reach ? 1 - reach / of.footprint_mib : 0;
  into.page_walks += of.pages * beyond * costs.page_walk_ns.value / 1e3 * passes;
}

void add_kernel(const access_pattern& pattern, const shape& of, const machine_profile& profile,
                const placement_costs& costs, bool is_local, forecast& into) {
  const double share =
      !is_local && pattern.link == link_traffic::busy ? profile.busy_link_share.value : 1;
  if (!is_local && pattern.link == link_traffic::busy && profile.busy) {
    into.terms.latency += profile.busy->latency_us.value;
  }
  if (does_read(pattern.device)) {
    add_access(of, of.passes, is_local ? profile.local_read : profile.link_read, costs, share,
               into.terms);
    into.bytes_to_device += is_local ? 0 : of.link_bytes * of.passes;
  }
  if (does_write(pattern.device)) {
    add_access(of, 1, is_local ? profile.local_write : profile.link_write, costs, share,
               into.terms);
    into.bytes_to_host += is_local ? 0 : of.link_bytes;
  }
}

// ---- the host --------------------------------------------------------------------------------

/// Short runs are loaded, single steps and whole lines; long ones the copy engine fetches in parts.
void add_reads_of_vram(const access_pattern& pattern, const shape& of,
                       const machine_profile& profile, forecast& into) {
  const bool is_busy = pattern.link == link_traffic::busy;
  into.bytes_to_host += of.touched_bytes;
  if (std::min(of.run_bytes, read_part_bytes) >= vram_fetched_from(profile)) {
    const double fetches = of.runs * std::ceil(of.run_bytes / read_part_bytes);
    const double busy_us = is_busy && profile.busy ? profile.busy->launch_us.value : 0;
    into.terms.host += fetches * (vram_fetch_us(profile) + busy_us) +
                       us_for(of.touched_bytes, profile.to_host.gb_per_s.value);
    into.terms.copy_queue += queue_us(pattern, profile, false, of.run_bytes);
    return;
  }
  const auto loads = vram_loads_of(static_cast<std::uint64_t>(of.run_bytes));
  const auto& costs = *profile.vram_read;
  const double us = of.runs * (loads.waits * costs.per_run_us.value +
                               us_for(loads.lines * line_bytes, costs.gb_per_s.value));
  into.terms.host +=
      us / (is_busy && profile.vram_fetch ? profile.vram_fetch->busy_load_share.value : 1);
}

void add_host(const access_pattern& pattern, const shape& of, const machine_profile& profile,
              forecast& into) {
  const bool is_far = into.how == placement::vram;
  if (does_write(pattern.host)) {
    into.terms.host +=
        is_far ? us_for(of, *profile.vram_write)
               : us_for(of, pattern, profile, profile.cached_write, profile.memory_write);
    into.bytes_to_device += is_far ? of.touched_bytes : 0;
  }
  if (does_read(pattern.host)) {
    if (is_far) {
      add_reads_of_vram(pattern, of, profile, into);
    } else {
      into.terms.host += us_for(of, pattern, profile, profile.cached_read, profile.memory_read);
    }
  }
  const bool is_users = pattern.memory != memory_origin::fresh;
  if (is_users && into.how != placement::registered) {
    into.terms.user_copy += does_write(pattern.host) ? us_for(of, profile.memory_read) : 0;
    into.terms.user_copy += does_read(pattern.host) ? us_for(of, profile.memory_write) : 0;
  }
}

/// The buffer, and where the host does not write anew in each call, what it holds at first.
double setup_us(const access_pattern& pattern, const machine_profile& profile,
                const placement_costs& costs) {
  const auto bytes = static_cast<double>(pattern.bytes);
  const double pooled_mib = costs.pooled_mib ? costs.pooled_mib->value : 0;
  double us =
      costs.setup_us.value + std::max(0., bytes / mib - pooled_mib) * costs.setup_us_per_mib.value;
  if (!does_write(pattern.host) && does_read(pattern.device)) {
    if (costs.how == placement::staged) {
      us += profile.to_device.overhead_us.value + us_for(bytes, profile.to_device.gb_per_s.value);
    } else if (costs.how == placement::vram) {
      us += us_for(bytes, profile.vram_write->gb_per_s.value);
    }
  }
  return us;
}

// ---- limits ----------------------------------------------------------------------------------

obstacle obstacle_of(const access_pattern& pattern, const machine_profile& profile,
                     const forecast& one, bool is_local) {
  if (one.pinned_bytes > std::min(profile.pin_budget_bytes, pattern.most_pinned_bytes)) {
    return obstacle::pin_budget;
  }
  if (is_local && pattern.bytes > profile.device_memory_bytes) {
    return obstacle::device_memory;
  }
  const bool is_file = pattern.memory == memory_origin::file;
  if (is_file && one.how == placement::registered && does_write(pattern.device)) {
    return obstacle::written_file;
  }
  return obstacle::none;
}

bound limit_of(const forecast& one, bool is_local) {
  const auto& terms = one.terms;
  const std::pair<double, bound> parts[] = {
      {terms.launch + terms.latency, bound::launch},
      {terms.host + terms.user_copy, bound::cpu},
      {terms.copies, bound::copy_engine},
      {terms.copy_queue, bound::busy_link},
      {terms.bytes, is_local ? bound::device_memory : bound::link_rate},
      {terms.requests, is_local ? bound::device_memory : bound::link_requests},
      {terms.page_walks, bound::page_walks},
      {terms.setup, bound::setup},
  };
  return std::max_element(std::begin(parts), std::end(parts),
                          [](const auto& a, const auto& b) { return a.first < b.first; })
      ->second;
}

}  // namespace

double vram_fetch_us(const machine_profile& profile) noexcept {
  return profile.vram_fetch ? profile.vram_fetch->fetch_us.value
                            : profile.launch_wait_us.value + profile.to_host.overhead_us.value;
}

double vram_fetched_from(const machine_profile& profile) noexcept {
  const double load_us_per_kb = 1 / profile.vram_read->gb_per_s.value;
  const double engine_us_per_kb = 1 / profile.to_host.gb_per_s.value;
  constexpr double least = 512;
  constexpr double most = 64 * mib;
  return load_us_per_kb > engine_us_per_kb
             ? std::clamp(vram_fetch_us(profile) * 1e3 / (load_us_per_kb - engine_us_per_kb), least,
                          most)
             : most;
}

shape shape_of(const access_pattern& pattern) noexcept {
  shape of;
  const auto units = static_cast<double>(pattern.units());
  const auto units_in_run = static_cast<double>(units_of_run(pattern));
  of.touched_bytes = static_cast<double>(pattern.touched_bytes());
  of.runs = std::ceil(units / units_in_run);
  of.run_bytes = units_in_run * static_cast<double>(pattern.unit_bytes);
  of.requests = of.runs * std::ceil(of.run_bytes / request_bytes);
  of.link_bytes = of.runs * std::ceil(of.run_bytes / sector_bytes) * sector_bytes;
  of.pages = of.runs * std::ceil(of.run_bytes / page_bytes);
  of.passes = pattern.reads_of_each_byte;
  // Pages that are walked in sequence are each looked up once, ahead of time.
  of.footprint_mib =
      pattern.order == access_order::sequential ? 0 : static_cast<double>(pattern.bytes) / mib;
  return of;
}

forecast foresee(const access_pattern& pattern, const shape& of, const machine_profile& profile,
                 const placement_costs& costs) {
  const bool is_local = costs.how == placement::staged || costs.how == placement::vram;
  forecast one;
  one.how = costs.how;
  one.pinned_bytes = costs.how == placement::vram ? 0 : pattern.bytes;
  one.terms.launch = profile.launch_wait_us.value;
  if (pattern.link == link_traffic::busy && profile.busy) {
    one.terms.launch += profile.busy->launch_us.value;
  }
  add_host(pattern, of, profile, one);
  if (costs.how == placement::staged) {
    add_copies(pattern, of, profile, one);
  }
  add_kernel(pattern, of, profile, costs, is_local, one);
  one.terms.setup = setup_us(pattern, profile, costs) / static_cast<double>(pattern.calls);
  one.us = one.terms.sum();
  one.limit = limit_of(one, is_local);
  one.problem = obstacle_of(pattern, profile, one, is_local);
  return one;
}

forecast overlapped(const forecast& whole, const access_pattern& pattern,
                    const machine_profile& profile) {
  if (pattern.order != access_order::sequential || whole.terms.copies == 0) {
    return whole;
  }
  const bool both_ways = whole.bytes_to_device > 0 && whole.bytes_to_host > 0;
  const double kernel = whole.terms.bytes + whole.terms.requests;
  const double a_way = whole.terms.copies / (both_ways ? 2 : 1);
  const double longest = std::max(a_way, kernel);
  const double a_piece_more =
      profile.to_device.next_us.value + profile.launch_wait_us.value / 4;  // its copy, its kernel
  forecast best = whole;
  for (const double pieces : {2., 4., 8., 16., 32., 64.}) {
    // All but the longest part hides behind it, except in the first piece and in the last.
    const double hidden = (whole.terms.copies + kernel - longest) * (1 - 1 / pieces);
    const double overlap = (pieces - 1) * a_piece_more - hidden;
    if (overlap < best.terms.overlap) {
      best.overlaps = true;
      best.terms.overlap = overlap;
    }
  }
  best.us = best.terms.sum();
  return best;
}

}  // namespace pinhole::advice
