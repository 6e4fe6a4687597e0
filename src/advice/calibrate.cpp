// The order in which a machine is measured.
#include "pinhole/advice/calibrate.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <optional>
#include <string>

#include "advice/cost_model.hpp"
#include "advice/echo.hpp"
#include "advice/probes.hpp"
#include "pinhole/core/error.hpp"
#include "pinhole/core/units.hpp"
#include "pinhole/memory/mapped_buffer.hpp"
#include "pinhole/memory/pin_budget.hpp"
#include "pinhole/memory/staged_buffer.hpp"

namespace pinhole {

namespace {

using advice::any_size_mib;
using advice::any_time_us;
using advice::bench;
using advice::figure_of;
using advice::sampling;

constexpr std::size_t word = sizeof(std::uint32_t);

std::string two_digits(unsigned number) {
  return (number < 10 ? "0" : "") + std::to_string(number);
}

std::string date_now() {
  using namespace std::chrono;
  const auto now = floor<seconds>(system_clock::now());
  const year_month_day date{floor<days>(now)};
  const hh_mm_ss time{now - floor<days>(now)};
  return std::to_string(static_cast<int>(date.year())) + "-" +
         two_digits(static_cast<unsigned>(date.month())) + "-" +
         two_digits(static_cast<unsigned>(date.day())) + "T" +
         two_digits(static_cast<unsigned>(time.hours().count())) + ":" +
         two_digits(static_cast<unsigned>(time.minutes().count())) + ":" +
         two_digits(static_cast<unsigned>(time.seconds().count())) + "Z";
}

/// The largest power of two up to `wanted` of which the budget can spare `times` as much.
std::uint64_t within_budget(std::uint64_t wanted, unsigned times) {
  const auto& budget = pin_budget::process();
  const std::uint64_t limit = budget.limit();
  const std::uint64_t left = limit - std::min(limit, budget.in_use());
  return std::max<std::uint64_t>(64_KiB, std::bit_floor(std::min(wanted, left / times)));
}

/// On the CPU device, where placements hardly differ, less will do.
sampling effort(bool is_quick, bool is_cpu) {
  return is_quick ? (is_cpu ? sampling{5, 50, 0.005} : sampling{5, 200, 0.03})
                  : sampling{15, 1000, 0.3};
}

class calibration {
 public:
  calibration(const device& where, const calibration_options& options)
      : options_(options),
        is_quick_(options.depth == calibration_depth::quick),
        is_cpu_(where.kind() == device_kind::cpu),
        bench_(where, effort(is_quick_, is_cpu_),
               within_budget(
                   is_cpu_ ? (is_quick_ ? 2_MiB : 32_MiB) : (is_quick_ ? 64_MiB : 256_MiB), 4)) {}

  machine_profile run() {
    into_.machine = identity_of(where());
    into_.method = is_quick_ ? "quick" : "full";
    into_.date = date_now();
    into_.pin_budget_bytes = pin_budget::process().limit();
    into_.device_memory_bytes = where().capabilities().memory_bytes;
    launches();
    host_memory();
    device_memory();
    placements();
    next("done", 1);
    return std::move(into_);
  }

 private:
  [[nodiscard]] const device& where() const noexcept { return bench_.where(); }

  void next(const char* what, double done) const {
    if (options_.progress) {
      options_.progress(what, done);
    }
  }

  void launches() {
    next("launches", 0);
    into_.launch_wait_us = bench_.launch_wait();
    next("copies", 0.05);
    into_.to_device = bench_.copies(true);
    into_.to_host = bench_.copies(false);
    next("mailbox", 0.15);
    try {
      const auto times = advice::mailbox_times_us(where(), is_quick_ ? 100 : 5000);
      into_.mailbox_us = figure_of(times, any_time_us);
    } catch (const error& refused) {
      // No kernel can stay here, which is no reason not to measure the rest.
      if (refused.is_sticky()) {
        throw;
      }
    }
  }

  void host_memory() {
    next("host memory", 0.2);
    mapped_buffer<std::uint32_t> words(where(), bench_.bytes() / word);
    into_.memory_write = bench_.cpu_writes(words, bench_.bytes());
    into_.memory_read = bench_.cpu_reads(words, bench_.bytes());
    const std::uint64_t few = std::min(advice::cached_bytes, bench_.bytes());
    into_.cached_write = bench_.cpu_writes(words, few);
    into_.cached_read = bench_.cpu_reads(words, few);
    into_.cpu_cache_mib = bench_.cpu_cache_mib(words, into_.cached_read, into_.memory_read);
    next("the link", 0.3);
    into_.link_read = bench_.kernel_access(words, access_role::reads);
    into_.link_write = bench_.kernel_access(words, access_role::writes);
    next("the busy link", 0.4);
    bench_.contention(words, into_);
  }

  void device_memory() {
    next("device memory", 0.5);
    staged_buffer<std::uint32_t> words(where(), bench_.bytes() / word,
                                       {.host = pinhole::host_memory::pageable});
    into_.local_read = bench_.kernel_access(words, access_role::reads);
    into_.local_write = bench_.kernel_access(words, access_role::writes);
  }

  void placements() {
    for (const auto how : all_placements()) {
      next(std::string(to_string(how)).c_str(), 0.6 + 0.08 * static_cast<double>(how));
      try {
        into_.placements.push_back(costs_of(how));
      } catch (const error& refused) {
        if (refused.kind() != fault::not_supported) {
          throw;
        }
      }
    }
  }

  placement_costs costs_of(placement how) {
    placement_costs costs;
    costs.how = how;
    bench_.setup(costs);
    if (how == placement::vram) {
      auto words = make_buffer<std::uint32_t>(where(), bench_.bytes() / word, how);
      into_.vram_write = bench_.cpu_writes(words, bench_.bytes());
      into_.vram_read = bench_.cpu_reads(words, bench_.bytes());
      into_.vram_fetch = bench_.fetches(words, into_.to_host.gb_per_s.value);
    }
    const bool is_local = how == placement::vram || how == placement::staged;
    const auto cache = is_local || is_cpu_ ? advice::page_cache{any_size_mib.most, 0} : reach(how);
    costs.page_reach_mib = figure_of({cache.reach_mib}, any_size_mib);
    costs.page_walk_ns = figure_of({cache.walk_ns}, any_time_us);
    return costs;
  }

  /// All pinned memory is mapped in the same pages, and registering is the fastest way to much of
  /// it, so a quick calibration takes the reach of one for both.
  advice::page_cache reach(placement how) {
    const bool is_pinned = how == placement::mapped || how == placement::registered;
    if (is_pinned && is_quick_ && pinned_reach_) {
      return *pinned_reach_;
    }
    const auto made_as = is_pinned && is_quick_ ? placement::registered : how;
    const std::uint64_t bytes = within_budget(is_quick_ ? 2_GiB : 4_GiB, 2);
    auto words = make_buffer<std::uint32_t>(where(), bytes / word, made_as);
    const auto found = bench_.reach(words);
    if (is_pinned) {
      pinned_reach_ = found;
    }
    return found;
  }

  const calibration_options& options_;
  bool is_quick_;
  bool is_cpu_;
  bench bench_;
  machine_profile into_;
  std::optional<advice::page_cache> pinned_reach_;
};

}  // namespace

machine_profile calibrate(const device& where, const calibration_options& options) {
  return calibration(where, options).run();
}

tuning advice::apply(const machine_profile& profile, const device& where) {
  if (const auto difference = what_changed(profile.machine, identity_of(where));
      !difference.empty()) {
    pinhole::detail::reject("apply the machine profile to " + where.id(),
                            difference + "; calibrate this machine");
  }
  auto& numbers = where.tuning();
  if (profile.vram_read) {
    numbers.vram_read_by_engine_from = static_cast<std::size_t>(advice::vram_fetched_from(profile));
  }
  return numbers;
}

}  // namespace pinhole
