// A machine that does not exist, with round figures near those of a GPU behind PCIe 5.
#pragma once

#include "pinhole/advice/machine_profile.hpp"
#include "pinhole/core/units.hpp"

namespace pinhole::test {

inline figure exactly(double value) {
  return {.value = value, .low = value, .high = value};
}

inline placement_costs sample_placement(placement how, double setup_us, double setup_us_per_mib,
                                        double page_reach_mib, double page_walk_ns) {
  return {.how = how,
          .setup_us = exactly(setup_us),
          .setup_us_per_mib = exactly(setup_us_per_mib),
          .pooled_mib = {},
          .page_reach_mib = exactly(page_reach_mib),
          .page_walk_ns = exactly(page_walk_ns)};
}

inline machine_profile sample_profile() {
  using namespace pinhole::literals;
  machine_profile made;
  made.machine = {.kind = "cuda",
                  .device = "Sample GPU",
                  .device_hash = "0123456789abcdef",
                  .driver = "1.0",
                  .kernel = "Linux 6.1",
                  .cpu = "Sample CPU",
                  .link = "PCIe 5 x16"};
  made.method = "full";
  made.date = "2026-01-31T12:00:00Z";
  made.pin_budget_bytes = 16_GiB;
  made.device_memory_bytes = 128_GiB;
  made.launch_wait_us = exactly(10);
  made.mailbox_us = exactly(2);
  made.to_device = {exactly(4), exactly(2), exactly(55)};
  made.to_host = {exactly(5), exactly(2), exactly(55)};
  made.link_read = {exactly(1.2), exactly(51), exactly(400), exactly(1), exactly(1)};
  made.link_write = {exactly(0.2), exactly(52), exactly(400), exactly(1), exactly(1)};
  made.local_read = {exactly(0.5), exactly(4000), exactly(20000), exactly(0.5), exactly(50)};
  made.local_write = {exactly(0.1), exactly(3000), exactly(15000), exactly(0.5), exactly(50)};
  made.memory_read = {exactly(0.02), exactly(10)};
  made.memory_write = {exactly(0.02), exactly(10)};
  made.cached_read = {exactly(0.005), exactly(40)};
  made.cached_write = {exactly(0.005), exactly(40)};
  made.cpu_cache_mib = exactly(2);
  made.vram_read = host_access{exactly(2), exactly(0.8)};
  made.vram_write = host_access{exactly(0.05), exactly(17)};
  made.busy_copy_wait_us = exactly(300);
  made.busy_link_share = exactly(0.5);
  made.placements = {sample_placement(placement::staged, 50, 600, 1e6, 0),
                     sample_placement(placement::mapped, 40, 500, 700, 22),
                     sample_placement(placement::registered, 60, 60, 700, 22),
                     sample_placement(placement::vram, 10, 20, 1e6, 0)};
  return made;
}

}  // namespace pinhole::test
