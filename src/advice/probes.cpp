// Each figure is a difference or a quotient of times that are taken one after the other.
#include "advice/probes.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <span>

#include "advice/pattern_work.hpp"
#include "pinhole/core/units.hpp"
#include "pinhole/memory/mapped_buffer.hpp"
#include "pinhole/memory/staged_buffer.hpp"

namespace pinhole::advice {

namespace {

constexpr std::chrono::seconds patience{20};
constexpr std::size_t word = sizeof(std::uint32_t);
constexpr double mib = 1048576;
/// So little that only the latency counts.
constexpr std::uint64_t little = 4096;
constexpr std::size_t few_words = 16;
constexpr unsigned many_copies = 32;
/// What other traffic lasts at least: what is timed beside it should be much shorter.
constexpr double traffic_us = 1000;

/// kB/us are GB/s.
double rate(std::uint64_t bytes, double us) {
  return us > 0 ? static_cast<double>(bytes) / us / 1e3 : any_rate.most;
}

access_pattern all_of(std::uint64_t bytes, access_role role, double passes = 1) {
  return {.bytes = bytes,
          .unit_bytes = 16,
          .host = access_role::none,
          .device = role,
          .reads_of_each_byte = passes};
}

}  // namespace

bench::bench(const device& where, const sampling& how, std::uint64_t bytes)
    : where_(where), how_(how), bytes_(bytes), work_(where) {}

void bench::empty_kernel() {
  const touch_plan nothing{.runs = {1, 1, 0}, .run_words = 1, .passes = 0};
  touch(work_, {}, nothing, {});
}

figure bench::launch_wait() {
  const auto times = times_us(how_, [&] {
    empty_kernel();
    work_.wait(patience);
  });
  launch_us_ = median_of(times);
  return figure_of(times, any_time_us);
}

copy_costs bench::copies(bool to_device) {
  staged_buffer<std::uint32_t> words(where_, bytes_ / word);
  const auto copy = [&](std::size_t count, unsigned copies) {
    return times_us(how_, [&] {
      if (!to_device) {
        empty_kernel();
      }
      for (unsigned i = 0; i < copies; ++i) {
        const std::size_t first = i * few_words;
        to_device ? words.to_device(work_, first, count) : words.to_host(work_, first, count);
      }
      if (to_device) {
        empty_kernel();
      }
      work_.wait(patience);
    });
  };
  const auto one = copy(few_words, 1);
  const double one_us = median_of(one);
  const auto before_launch = [&](double us) { return us - launch_us_; };
  const auto of_each = [&](double us) { return (us - one_us) / (many_copies - 1); };
  const auto of_all = [&](double us) { return rate(bytes_, us - one_us); };
  return {.overhead_us = figure_of(one, any_time_us, before_launch),
          .next_us = figure_of(copy(few_words, many_copies), any_time_us, of_each),
          .gb_per_s = figure_of(copy(words.size(), 1), any_rate, of_all)};
}

std::vector<double> bench::kernel_us(word_buffer& words, const access_pattern& pattern) {
  pattern_work calls(work_, words, pattern, false, 1);
  return times_us(how_, [&] { calls.call(); }, [&] { calls.prepare(); });
}

device_access bench::kernel_access(word_buffer& words, access_role role) {
  const auto tiny = kernel_us(words, all_of(little, role));
  const double tiny_us = median_of(tiny);
  constexpr std::uint64_t most_requests = 1U << 18U;
  const std::uint64_t requests = std::min(most_requests, bytes_ / 256);
  const access_pattern scattered{.bytes = bytes_,
                                 .touched_units = requests,
                                 .unit_bytes = word,
                                 .order = access_order::random,
                                 .host = access_role::none,
                                 .device = role};
  device_access measured;
  measured.latency_us = figure_of(tiny, any_time_us, [&](double us) { return us - launch_us_; });
  measured.gb_per_s = figure_of(kernel_us(words, all_of(bytes_, role)), any_rate,
                                [&](double us) { return rate(bytes_ - little, us - tiny_us); });
  measured.requests_per_us = figure_of(kernel_us(words, scattered), any_rate, [&](double us) {
    return rate(requests, us - tiny_us) * 1e3;
  });
  measured.again_share = {1, 1, 1};
  measured.cache_mib = figure_of({static_cast<double>(little) / mib}, any_size_mib);
  if (role == access_role::reads) {
    constexpr double many = 65;
    measured.again_us = figure_of(kernel_us(words, all_of(little, role, many)), any_time_us,
                                  [&](double us) { return (us - tiny_us) / (many - 1); });
  }
  constexpr double passes = 8;
  for (std::uint64_t size = bytes_ / 256; role == access_role::reads && size <= bytes_; size *= 4) {
    const double once_us = median_of(kernel_us(words, all_of(size, role)));
    const auto share =
        figure_of(kernel_us(words, all_of(size, role, passes)), any_share, [&](double us) {
          return (us - once_us) / (passes - 1) / std::max(once_us - launch_us_, 1e-3);
        });
    if (share.value >= 0.5) {
      break;
    }
    measured.again_share = share;
    measured.cache_mib = figure_of({static_cast<double>(size) / mib}, any_size_mib);
  }
  return measured;
}

figure bench::cpu_runs(word_buffer& words, std::size_t size, bool reads, double gb_per_s) {
  const auto all = static_cast<std::uint32_t>(size / few_words);
  // Over host memory so many that the caches cannot hold them; over the link each takes long.
  const std::uint32_t most = words.placed() == placement::vram ? 1U << 10U : 1U << 18U;
  const run_order order(std::max(1U, std::min(most, all / 4)), all, 1);
  std::uint32_t some[few_words] = {};
  const auto times = times_us(how_, [&] {
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      const std::size_t first = order[i] * few_words;
      reads ? words.read(first, some) : words.write(first, some);
    }
  });
  const double of_bytes = static_cast<double>(few_words * word) / (gb_per_s * 1e3);
  return figure_of(times, any_time_us,
                   [&](double us) { return us / static_cast<double>(order.size()) - of_bytes; });
}

host_access bench::cpu_writes(word_buffer& words, std::uint64_t bytes) {
  const std::size_t size = bytes / word;
  const std::vector<std::uint32_t> some(std::min<std::size_t>(size, content_period), 1);
  const auto times = times_us(how_, [&] {
    for (std::size_t first = 0; first < size; first += some.size()) {
      words.write(first, std::span(some).first(std::min(some.size(), size - first)));
    }
  });
  host_access measured;
  measured.gb_per_s = figure_of(times, any_rate, [&](double us) { return rate(bytes, us); });
  measured.per_run_us = cpu_runs(words, size, false, measured.gb_per_s.value);
  return measured;
}

host_access bench::cpu_reads(word_buffer& words, std::uint64_t bytes) {
  // Reads of VRAM from a length on are the copy engine's, which has its own figures.
  const bool is_vram = words.placed() == placement::vram;
  const std::size_t size = bytes / word;
  const std::size_t at_once = std::min<std::size_t>(
      size, is_vram ? where_.tuning().vram_read_by_engine_from / word - 1 : content_period);
  std::vector<std::uint32_t> some(at_once);
  const std::size_t all = std::min(size, is_vram ? 16 * at_once : size) / at_once * at_once;
  const auto times = times_us(how_, [&] {
    for (std::size_t first = 0; first < all; first += at_once) {
      words.read(first, some);
    }
  });
  host_access measured;
  measured.gb_per_s = figure_of(times, any_rate, [&](double us) { return rate(all * word, us); });
  measured.per_run_us = cpu_runs(words, size, true, measured.gb_per_s.value);
  return measured;
}

vram_fetches bench::fetches(word_buffer& vram, double gb_per_s) {
  std::vector<std::uint32_t> part(std::min<std::size_t>(vram.size(), content_period));
  std::uint32_t line[few_words] = {};
  other_traffic others(where_);
  const double of_bytes = static_cast<double>(part.size() * word) / (gb_per_s * 1e3);
  const auto load = [&] { vram.read(0, line); };
  const double load_us = median_of(times_us(how_, load));
  const auto busy = times_us(how_, load, [&] { others.begin(traffic_us, gb_per_s); });
  others.end();
  return {.fetch_us = figure_of(times_us(how_, [&] { vram.read(0, part); }), any_time_us,
                                [&](double us) { return us - of_bytes; }),
          .busy_load_share =
              figure_of(busy, some_share, [&](double us) { return load_us / std::max(us, 1e-3); })};
}

figure bench::cpu_cache_mib(word_buffer& words, const host_access& cached,
                            const host_access& beyond) {
  const double between = std::sqrt(cached.gb_per_s.value * beyond.gb_per_s.value);
  std::vector<std::uint32_t> some(content_period);
  std::uint64_t held = cached_bytes;
  for (std::uint64_t bytes = held * 2; bytes <= bytes_; bytes *= 2) {
    const auto times = times_us(how_, [&] {
      for (std::size_t first = 0; first < bytes / word; first += some.size()) {
        words.read(first, some);
      }
    });
    if (rate(bytes, median_of(times)) < between) {
      break;
    }
    held = bytes;
  }
  return figure_of({static_cast<double>(held) / mib}, any_size_mib);
}

page_cache bench::reach(word_buffer& words) {
  constexpr std::uint64_t requests = 1U << 18U;
  constexpr std::uint64_t unit = 128;
  std::vector<footprint_cost> costs;
  for (std::uint64_t bytes = words.size() * word; bytes >= requests * unit * 4; bytes /= 2) {
    const auto times = kernel_us(words, {.bytes = bytes,
                                         .touched_units = requests,
                                         .unit_bytes = unit,
                                         .order = access_order::random,
                                         .host = access_role::none});
    const double ns = (median_of(times) - launch_us_) * 1e3 / requests;
    costs.push_back({static_cast<double>(bytes) / mib, ns});
  }
  std::ranges::reverse(costs);
  return fit_page_cache(costs);
}

void bench::setup(placement_costs& into) {
  // As in any program that has another small one: the last of them gives its pages back.
  const mapped_buffer<std::uint32_t> neighbour(where_, few_words);
  const auto make = [&](std::uint64_t bytes) {
    return times_us(how_,
                    [&] { (void)make_buffer<std::uint32_t>(where_, bytes / word, into.how); });
  };
  const auto small = make(little);
  const double small_us = median_of(small);
  into.setup_us = figure_of(small, any_time_us);
  std::uint64_t pooled = little;
  constexpr double hardly_more = 3;
  for (std::uint64_t size = 16 * little; size <= bytes_ / 8; size *= 2) {
    if (median_of(make(size)) > small_us * hardly_more) {
      break;
    }
    pooled = size;
  }
  into.pooled_mib = figure_of({static_cast<double>(pooled) / mib}, any_size_mib);
  into.setup_us_per_mib = figure_of(make(bytes_), any_time_us, [&](double us) {
    return (us - small_us) * mib / static_cast<double>(bytes_ - pooled);
  });
}

busy_costs bench::beside(other_traffic& others, word_buffer& mapped, double gb_per_s) {
  constexpr std::uint64_t most = 65536;
  staged_buffer<std::uint32_t> words(where_, most / word);
  pattern_work reading(work_, mapped, all_of(little, access_role::reads), false, 1);
  const auto busy_us = [&](const auto& step) {
    return times_us(how_, step, [&] {
      reading.prepare();
      others.begin(traffic_us, gb_per_s);
    });
  };
  const auto copy = [&](bool is_up, std::uint64_t bytes) {
    return [this, &words, is_up, bytes] {
      is_up ? words.to_device(work_, 0, bytes / word) : words.to_host(work_, 0, bytes / word);
      work_.wait(patience);
    };
  };
  const auto launch = [&] {
    empty_kernel();
    work_.wait(patience);
  };
  const auto read = [&] { reading.call(); };
  busy_costs found;
  found.launch_us =
      figure_of(busy_us(launch), any_time_us, [&](double us) { return us - launch_us_; });
  const double read_us =
      median_of(times_us(how_, read, [&] { reading.prepare(); })) + found.launch_us.value;
  found.latency_us = figure_of(busy_us(read), any_time_us, [&](double us) { return us - read_us; });
  const double down_us = median_of(times_us(how_, copy(false, few_words * word)));
  found.queue_us = figure_of(busy_us(copy(false, few_words * word)), any_time_us,
                             [&](double us) { return us - down_us; });
  std::uint64_t small = few_words * word;
  for (std::uint64_t bytes = little; bytes <= most; bytes *= 2) {
    const double idle_us = median_of(times_us(how_, copy(true, bytes)));
    if (median_of(busy_us(copy(true, bytes))) > idle_us + found.queue_us.value / 2) {
      break;
    }
    small = bytes;
  }
  others.end();
  found.small_copy_mib = figure_of({static_cast<double>(small) / mib}, any_size_mib);
  return found;
}

void bench::contention(word_buffer& mapped, machine_profile& into) {
  other_traffic others(where_);
  staged_buffer<std::uint32_t> words(where_, few_words);
  pattern_work reading(work_, mapped, all_of(bytes_ / 4, access_role::reads), false, 1);
  const auto copy = [&] {
    words.to_device(work_);
    empty_kernel();
    work_.wait(patience);
  };
  const auto read = [&] { reading.call(); };
  const double copy_us = median_of(times_us(how_, copy));
  const double read_us = median_of(times_us(how_, read, [&] { reading.prepare(); }));
  // Twice as long as what is timed would take if it got half of the link, and a little more.
  const auto make_traffic = [&](double us) {
    others.begin(4 * us + 1000, into.to_device.gb_per_s.value);
  };
  into.busy = beside(others, mapped, into.to_device.gb_per_s.value);
  const double launched_us = copy_us + into.busy->launch_us.value;
  into.busy_copy_wait_us = figure_of(times_us(how_, copy, [&] { make_traffic(copy_us); }),
                                     any_time_us, [&](double us) { return us - launched_us; });
  const auto busy = times_us(how_, read, [&] {
    reading.prepare();
    make_traffic(read_us);
  });
  into.busy_link_share = figure_of(busy, {1e-3, 1}, [&](double us) {
    return (read_us - launch_us_) / std::max(us - launch_us_, 1e-3);
  });
  others.end();
}

}  // namespace pinhole::advice
