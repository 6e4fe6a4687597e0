// What was measured on one machine: all that advice knows about it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pinhole/memory/placement.hpp"
#include "pinhole/platform/device.hpp"

namespace pinhole {

/// A median, with the 10th and the 90th percentile of what it was taken from.
struct figure {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// Memory as kernels see it.
struct device_access {
  figure latency_us;       ///< what the first access adds to a kernel
  figure gb_per_s;         ///< in sequence
  figure requests_per_us;  ///< single accesses in random order, any number of them under way
  figure again_share;      ///< what going over the same bytes again costs, as a share of the first
  figure cache_mib;        ///< ... as far as they fit here; beyond, it costs as much
  /// What each time over again takes at least; empty in profiles from before it was measured.
  std::optional<figure> again_us = {};
};

/// Memory as the CPU sees it, from one thread.
struct host_access {
  figure per_run_us;  ///< for each run of neighbours
  figure gb_per_s;    ///< within a run
};

/// Explicit copies from pinned memory or into it.
struct copy_costs {
  figure overhead_us;  ///< of a copy that is queued before a kernel, or after it
  figure next_us;      ///< of each further copy that is queued with it
  figure gb_per_s;
};

/// What single steps take longer while the link carries other copies.
struct busy_costs {
  figure launch_us;       ///< launching a kernel and waiting for it
  figure latency_us;      ///< a kernel's first access over the link
  figure queue_us;        ///< a copy, behind those that the same copy engine has been given
  figure small_copy_mib;  ///< up to this size copies to the device travel beside the engine's queue
};

/// How the CPU reads VRAM beyond loads in an idle machine.
struct vram_fetches {
  figure fetch_us;         ///< one read by the copy engine, waited for, without its bytes
  figure busy_load_share;  ///< what is left of the speed of loads while the link is busy
};

/// What depends on the placement alone.
struct placement_costs {
  pinhole::placement how = pinhole::placement::staged;
  figure setup_us;          ///< making and destroying a small buffer
  figure setup_us_per_mib;  ///< what each MiB adds
  /// Up to this size none adds anything, as a pool hands out what was made before; empty: none
  /// does.
  std::optional<figure> pooled_mib;
  /// As far as random accesses by kernels cost no page walks, and what a walk costs beyond it.
  figure page_reach_mib;
  figure page_walk_ns;
};

/// Which machine the figures are of. Gives nobody away: the device's UUID only as a hash.
struct machine_identity {
  std::string kind;         ///< "cuda" or "cpu"
  std::string device;       ///< "NVIDIA H200"
  std::string device_hash;  ///< of the UUID, 16 hexadecimal digits; of the name on the CPU device
  std::string driver;       ///< empty on the CPU device
  std::string kernel;       ///< "Linux 6.18.0"
  std::string cpu;
  std::string link;  ///< "PCIe 5 x16"; empty where unknown

  friend bool operator==(const machine_identity&, const machine_identity&) = default;
};

struct machine_profile {
  machine_identity machine;
  std::string method;  ///< "quick" or "full"
  std::string date;    ///< UTC, "2026-01-31T12:00:00Z"
  std::uint64_t pin_budget_bytes = 0;
  std::uint64_t device_memory_bytes = 0;

  figure launch_wait_us;             ///< an empty kernel, launched and waited for
  std::optional<figure> mailbox_us;  ///< a round trip to a kernel that stays; empty: none can
  copy_costs to_device, to_host;
  device_access link_read, link_write;               ///< host memory, reached over the link
  device_access local_read, local_write;             ///< the device's own memory
  host_access memory_read, memory_write;             ///< host memory, reached by the CPU
  host_access cached_read, cached_write;             ///< what of it the CPU's caches hold
  figure cpu_cache_mib;                              ///< how much that is
  std::optional<host_access> vram_read, vram_write;  ///< empty: no road leads there
  figure busy_copy_wait_us;        ///< what a small copy waits while the link carries another one
  figure busy_link_share;          ///< what is left of the link's rate for kernels meanwhile
  std::optional<busy_costs> busy;  ///< empty, like the next, before it was measured
  std::optional<vram_fetches> vram_fetch;

  std::vector<placement_costs> placements;  ///< that the machine has

  /// The costs of a placement, or null where the machine does not have it.
  [[nodiscard]] const placement_costs* find(pinhole::placement how) const noexcept;
};

/// The text of a profile as `pinhole calibrate` writes it.
[[nodiscard]] std::string to_json(const machine_profile& profile);

/// The inverse. Throws fault::invalid_argument for what is no such text, whole and sound, with the
/// field's path, what it holds and what is allowed.
[[nodiscard]] machine_profile read_profile(std::string_view json);

/// This machine with that device, as it is now.
[[nodiscard]] machine_identity identity_of(const device& where);
/// What makes a profile of `then` stale on `now`: "the driver was 580 and is 590"; empty: nothing.
[[nodiscard]] std::string what_changed(const machine_identity& then, const machine_identity& now);

/// Where the profile of this device is kept: in the folder "pinhole" of $XDG_CACHE_HOME, or of
/// $HOME/.cache. Empty where neither is set to an absolute path.
[[nodiscard]] std::string profile_path(const machine_identity& machine);

/// Writes the profile whole or not at all, with the folders that it lies in; throws fault::io.
void save_profile(const machine_profile& profile, const std::string& path);
/// Reads it; throws fault::io, and what read_profile throws, naming the file.
[[nodiscard]] machine_profile load_profile(const std::string& path);

}  // namespace pinhole
