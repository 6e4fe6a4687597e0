// What calibration measures, one probe a group of figures.
#pragma once

#include <cstdint>
#include <vector>

#include "advice/other_traffic.hpp"
#include "advice/sampling.hpp"
#include "pinhole/advice/access_pattern.hpp"
#include "pinhole/advice/machine_profile.hpp"
#include "pinhole/memory/any_buffer.hpp"

namespace pinhole::advice {

using word_buffer = basic_buffer<std::uint32_t>;

/// So little that every CPU's caches hold it.
inline constexpr std::uint64_t cached_bytes = std::uint64_t{256} << 10U;

/// What every probe needs: a device, a stream, and how much to measure.
class bench {
 public:
  /// `bytes` is the size at which rates are read.
  bench(const device& where, const sampling& how, std::uint64_t bytes);

  [[nodiscard]] const device& where() const noexcept { return where_; }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

  [[nodiscard]] figure launch_wait();
  [[nodiscard]] copy_costs copies(bool to_device);
  /// Kernels that read, or write, `words`, which hold bytes().
  [[nodiscard]] device_access kernel_access(word_buffer& words, access_role role);
  /// The CPU's accesses to the first `bytes` of `words`, again and again.
  [[nodiscard]] host_access cpu_reads(word_buffer& words, std::uint64_t bytes);
  [[nodiscard]] host_access cpu_writes(word_buffer& words, std::uint64_t bytes);
  /// The copy engine's reads of VRAM, and loads beside other traffic.
  [[nodiscard]] vram_fetches fetches(word_buffer& vram, double gb_per_s);
  /// As far as reading again is nearer to the rate of `cached` than to that of `beyond`.
  [[nodiscard]] figure cpu_cache_mib(word_buffer& words, const host_access& cached,
                                     const host_access& beyond);
  /// Random reads by a kernel over more and more of `words`.
  [[nodiscard]] page_cache reach(word_buffer& words);
  void setup(placement_costs& into);
  /// What is left while other copies go to the device.
  void contention(word_buffer& mapped, machine_profile& into);

 private:
  void empty_kernel();
  /// Copies that are queued beside the traffic, and kernels that are launched there.
  [[nodiscard]] busy_costs beside(other_traffic& others, word_buffer& mapped, double gb_per_s);
  [[nodiscard]] std::vector<double> kernel_us(word_buffer& words, const access_pattern& pattern);
  [[nodiscard]] figure cpu_runs(word_buffer& words, std::size_t size, bool reads, double gb_per_s);

  device where_;
  sampling how_;
  std::uint64_t bytes_;
  stream work_;
  double launch_us_ = 0;
};

}  // namespace pinhole::advice
