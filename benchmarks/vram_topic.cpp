// The topic `vram`: what the CPU's accesses to device memory cost, and when a kernel sees them.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "benchmarks/topics.hpp"
#include "benchmarks/vram_small_writes.hpp"
#include "benchmarks/vram_talk.hpp"
#include "benchmarks/vram_timing.hpp"
#include "memory/wc_copy.hpp"
#include "pinhole/memory/copy.hpp"
#include "pinhole/memory/mapped_buffer.hpp"
#include "pinhole/memory/vram_buffer.hpp"
#include "platform/fences.hpp"

namespace pinhole::measure {

namespace {

constexpr std::size_t kilo = 1000;  // the goals say 300 KB

constexpr const char* description =
    "write_4B_fenced_us, write_64B_fenced_us and write_4KiB_us are single writes to the same "
    "place, "
    "timed one by one and 2 us apart, less timed_nothing_us, the clock's own cost measured in the "
    "same way: a caller rings one doorbell. Samples named *_spaced_us still hold the clock's cost. "
    "*_back_to_back_us is the mean of many writes in a row, each of which also waits for the "
    "fences "
    "of those before it. *_cold: the source is out of the caches.";

double gigabytes_per_second(std::size_t moved, double us) {
  return static_cast<double>(moved) / us / 1000;
}

/// Before anything is timed: what was written arrives.
void check_arrival(const device& gpu, const vram_buffer<std::byte>& at, const bytes& source) {
  bytes got(source.size());
  copy_to_host<std::byte>(gpu, std::span<std::byte>(got), at.device().subview(0, source.size()));
  if (got != source) {
    throw std::runtime_error("VRAM does not hold what the CPU wrote");
  }
}

class vram_bench {
 public:
  explicit vram_bench(const topic_request& asked) : asked_(asked), gpu_(asked.where) {}

  topic_result run() {
    result_.details["description"] = description;
    result_.details["road"] = vram_in_cpu_address_space(gpu_).reason;
    small_writes();
    large_writes();
    reads();
    small_buffers();
    arrivals();
    methods();
    curve();
    return std::move(result_);
  }

 private:
  void step(const char* what, double done) { asked_.progress(what, done); }

  void keep(const std::string& name, const char* unit, const char* opponent,
            const samples& values) {
    result_.samples.add(name, values);
    result_.figures.push_back(
        figure_json({.name = name, .unit = unit, .opponent = opponent, .how = {"median", name, ""}},
                    result_.samples));
  }
  /// One write as its caller waits for it, without what the clock takes.
  void keep_single_write(const char* name, const char* timed, const char* opponent) {
    result_.figures.push_back(figure_json({.name = name,
                                           .unit = "us",
                                           .opponent = opponent,
                                           .how = {"difference_of_medians", timed, clock_alone}},
                                          result_.samples));
  }
  /// Beside the figures, for the guide.
  void keep_beside(const std::string& name, const char* unit, const samples& values) {
    result_.samples.add(name, values);
    result_.details["beside"][name] = {{"unit", unit}, {"samples", name}};
  }

  void small_writes() {
    step("small writes", 0.0);
    vram_buffer<std::byte> buffer(gpu_, 1_MiB);
    const auto source = numbered(4_KiB);
    buffer.write(0, source);
    check_arrival(gpu_, buffer, source);
    for (const auto& [name, us] : time_small_writes(buffer)) {
      keep_beside(name, "us", us);
    }
    keep_single_write("write_4B_fenced_us", "write_4B_same_place_spaced_us",
                      "none; beside it the time until a resident kernel has seen it, and "
                      "cudaMemcpy of 4 B");
    keep_single_write("write_64B_fenced_us", "write_64B_same_place_spaced_us", "as above");
    keep_single_write("write_4KiB_us", "write_4KiB_same_place_spaced_us", "none");

    const mapped_buffer<std::byte> pinned(gpu_, 64);
    samples copies;
    for (int i = 0; i < 300; ++i) {
      copies.push_back(microseconds(5, [&](std::size_t) {
        send_to_device<std::byte>(gpu_, buffer.device().subview(0, 4), pinned.host().first(4));
      }));
    }
    keep_beside("cudamemcpy_4B_us", "us", copies);
  }

  samples write_rates(vram_buffer<std::byte>& buffer, const bytes& source, int count, bool cold) {
    samples values;
    buffer.write(0, source);
    check_arrival(gpu_, buffer, source);
    for (int i = 0; i < count; ++i) {
      if (cold) {
        evict(source);
      }
      values.push_back(gigabytes_per_second(
          source.size(), microseconds(1, [&](std::size_t) { buffer.write(0, source); })));
    }
    return values;
  }

  void large_writes() {
    step("large writes", 0.1);
    const auto source_300 = numbered(300 * kilo);
    vram_buffer<std::byte> buffer_300(gpu_, source_300.size());
    keep("write_300KB_one_thread_warm", "GB/s", "none; the cold figure stands beside it",
         write_rates(buffer_300, source_300, 500, false));
    keep_beside("write_300KB_one_thread_cold", "GB/s",
                write_rates(buffer_300, source_300, 200, true));
    for (const unsigned threads : {1U, 2U, 4U}) {
      vram_buffer<std::byte> buffer(gpu_, 256_MiB, {.write_threads = threads});
      for (const auto& [size, count, name] :
           {std::tuple(4_MiB, 300, "4MiB"), std::tuple(256_MiB, 15, "256MiB")}) {
        const auto rates = write_rates(buffer, numbered(size), count, false);
        if (threads == 4) {
          keep(std::string("write_") + name + "_four_threads", "GB/s", "none", rates);
          keep_beside(std::string("write_") + name + "_four_threads_cold", "GB/s",
                      write_rates(buffer, numbered(size), count / 3, true));
        } else {
          keep_beside(
              std::string("write_") + name + (threads == 1 ? "_one_thread" : "_two_threads"),
              "GB/s", rates);
        }
        if (threads == 1) {
          keep_beside(std::string("write_") + name + "_one_thread_cold", "GB/s",
                      write_rates(buffer, numbered(size), count / 3, true));
        }
      }
    }
  }

  /// Lets the CPU, or the copy engine, make all reads while it lives.
  class read_road {
   public:
    read_road(const device& gpu, bool by_cpu)
        : slot_(gpu.tuning().vram_read_by_engine_from), before_(slot_) {
      slot_ = by_cpu ? SIZE_MAX : 0;
    }
    ~read_road() { slot_ = before_; }
    read_road(const read_road&) = delete;
    read_road& operator=(const read_road&) = delete;

   private:
    std::size_t& slot_;
    std::size_t before_;
  };

  void reads() {
    step("reads", 0.3);
    vram_buffer<std::byte> buffer(gpu_, 64_KiB);
    const auto source = numbered(64_KiB);
    buffer.write(0, source);
    bytes got(source.size());
    const auto rates = [&](bool by_cpu) {
      const read_road road(gpu_, by_cpu);
      samples values;
      for (int i = 0; i < 200; ++i) {
        values.push_back(gigabytes_per_second(
            got.size(), microseconds(1, [&](std::size_t) { buffer.read(0, got); })));
      }
      if (got != source) {
        throw std::runtime_error("a read of VRAM gave other bytes");
      }
      return values;
    };
    keep("read_64KiB_one_thread", "GB/s", "none", rates(true));
    keep_beside("read_64KiB_by_copy_engine", "GB/s", rates(false));
    samples words;
    const read_road road(gpu_, true);
    for (int i = 0; i < 300; ++i) {
      words.push_back(
          microseconds(10, [&](std::size_t n) { buffer.read(n * 64, std::span(got).first(4)); }));
    }
    keep_beside("read_4B_us", "us", words);
  }

  void small_buffers() {
    step("small buffers", 0.4);
    const vram_buffer<std::byte> warm(gpu_, 4096);
    samples values;
    for (int i = 0; i < 300; ++i) {
      std::vector<std::unique_ptr<vram_buffer<std::byte>>> made(100);
      values.push_back(microseconds(made.size(), [&](std::size_t n) {
        made[n] = std::make_unique<vram_buffer<std::byte>>(gpu_, 4096);
      }));
    }
    keep("small_buffer_from_warm_pool_us", "us", "none", values);
    samples blocks;
    for (int i = 0; i < 10; ++i) {
      blocks.push_back(
          microseconds(1, [&](std::size_t) { const vram_buffer<std::byte> own(gpu_, 256_MiB); }));
    }
    keep_beside("made_and_destroyed_256MiB_us", "us", blocks);
  }

  /// How long until a kernel that stays has seen what was written, beside the copy that a launch
  /// would need. 4 B's copy is among the small writes: it is that figure's opponent.
  void arrivals() {
    step("arrivals", 0.5);
    keep_beside("write_4B_seen_and_answered_us", "us", seen_and_copied(4).seen);
    for (const auto& [size, name] : {std::pair(std::size_t{64}, "64B"), std::pair(4_KiB, "4KiB")}) {
      const auto times = seen_and_copied(size);
      keep_beside(std::string("write_") + name + "_seen_and_answered_us", "us", times.seen);
      keep_beside(std::string("cudamemcpy_") + name + "_us", "us", times.copied);
    }
    result_.figures.push_back(figure_json(
        {.name = "write_64B_seen_by_kernel_vs_cudamemcpy",
         .unit = "ratio",
         .opponent = "cudaMemcpy of 64 B from pinned memory, to its return",
         .how = {"ratio_of_medians", "cudamemcpy_64B_us", "write_64B_seen_and_answered_us"}},
        result_.samples));
  }

  struct arrival_times {
    samples seen;  ///< to the kernel's answer in host memory, so a little more than to its look
    samples copied;
  };

  arrival_times seen_and_copied(std::size_t size) {
    constexpr int at_once = 20;
    const vram_buffer<std::byte> target(gpu_, size);
    const mapped_buffer<std::byte> pinned(gpu_, size);
    echo_talk talk(gpu_, size);
    const auto ask = [&] {
      double us = 0;
      for (int i = 0; i < at_once; ++i) {
        us += talk.ask();
      }
      return us / at_once;
    };
    arrival_times times;
    for (int i = -50; i < 500; ++i) {  // some to warm up
      const double seen = ask();
      const double copied = microseconds(
          5, [&](std::size_t) { send_to_device<std::byte>(gpu_, target.device(), pinned.host()); });
      if (i >= 0) {
        times.seen.push_back(seen);
        times.copied.push_back(copied);
      }
    }
    return times;
  }

  /// Every set of instructions of this CPU, for the choice between them.
  void methods() {
    step("instructions", 0.65);
    vram_buffer<std::byte> buffer(gpu_, 300 * kilo);
    const auto source = numbered(buffer.size());
    bytes got(64_KiB);
    std::vector<samples> stores(detail::all_wc_copies().size());
    std::vector<samples> lines(stores.size());
    std::vector<samples> loads(stores.size());
    for (int i = 0; i < 100; ++i) {
      for (std::size_t m = 0; m < stores.size(); ++m) {
        const auto& how = detail::all_wc_copies()[m];
        auto* const far = buffer.host().data();
        stores[m].push_back(gigabytes_per_second(source.size(), microseconds(1, [&](std::size_t) {
                                                   how.store(far, source.data(), source.size());
                                                   platform::drain_stores();
                                                 })));
        lines[m].push_back(microseconds(200, [&](std::size_t n) {
          how.store(far + n * 64, source.data(), 64);
          platform::drain_stores();
        }));
        loads[m].push_back(gigabytes_per_second(got.size(), microseconds(1, [&](std::size_t) {
                                                  platform::order_all();
                                                  how.load(got.data(), far, got.size());
                                                })));
      }
    }
    for (std::size_t m = 0; m < stores.size(); ++m) {
      const std::string name(to_string(detail::all_wc_copies()[m].how));
      keep_beside("write_300KB_by_" + name, "GB/s", stores[m]);
      keep_beside("write_64B_by_" + name, "us", lines[m]);
      keep_beside("read_64KiB_by_" + name, "GB/s", loads[m]);
    }
    result_.details["best_instructions"] = to_string(detail::best_wc_copies().how);
  }

  struct curve_arm {
    const char* name;
    std::function<void(std::size_t size)> run;
    std::size_t most;  // bytes; larger sizes take too long and say nothing new
    samples values = {};
  };

  /// Size against time, every arm once in each repetition.
  void curve() {
    constexpr std::size_t largest = 64_MiB;
    vram_buffer<std::byte> vram(gpu_, largest);
    vram_buffer<std::byte> split(gpu_, largest, {.write_threads = 4});
    const mapped_buffer<std::byte> pinned(gpu_, largest);
    mapped_buffer<std::byte> mapped(gpu_, largest);
    const auto source = numbered(largest);
    bytes got(largest);
    const auto part = [](const auto& of, std::size_t size) {
      return std::span<const std::byte>(of).first(size);
    };
    const std::vector<curve_arm> arms = {
        {"write VRAM", [&](std::size_t n) { vram.write(0, part(source, n)); }, largest},
        {"write VRAM, four threads", [&](std::size_t n) { split.write(0, part(source, n)); },
         largest},
        {"read VRAM by loads",
         [&](std::size_t n) {
           const read_road road(gpu_, true);
           vram.read(0, std::span(got).first(n));
         },
         4_MiB},
        {"read VRAM", [&](std::size_t n) { vram.read(0, std::span(got).first(n)); }, largest},
        {"cudaMemcpy to the device",
         [&](std::size_t n) {
           send_to_device<std::byte>(gpu_, vram.device().subview(0, n), part(pinned.host(), n));
         },
         largest},
        {"cudaMemcpy to the host",
         [&](std::size_t n) {
           copy_to_host<std::byte>(gpu_, pinned.host().first(n), vram.device().subview(0, n));
         },
         largest},
        {"write mapped memory", [&](std::size_t n) { mapped.write(0, part(source, n)); }, largest},
        {"read mapped memory", [&](std::size_t n) { mapped.read(0, std::span(got).first(n)); },
         largest},
    };
    json& points = result_.details["curve"] = json::array();
    for (std::size_t size = 4; size <= largest; size *= 2) {
      step("size against time", 0.75 + 0.25 * static_cast<double>(std::bit_width(size)) / 27.0);
      points.push_back(curve_point(arms, size));
    }
  }

  json curve_point(std::vector<curve_arm> arms, std::size_t size) {
    const std::size_t batch = size <= 4096 ? 20 : 1;
    const int count = size <= 1_MiB ? 60 : 12;
    for (int i = -2; i < count; ++i) {  // two rounds to warm up
      for (auto& arm : arms) {
        if (size <= arm.most) {
          const double us = microseconds(batch, [&](std::size_t) { arm.run(size); });
          if (i >= 0) {
            arm.values.push_back(us);
          }
        }
      }
    }
    json point = {{"bytes", size}, {"arms", json::object()}};
    for (const auto& arm : arms) {
      if (!arm.values.empty()) {
        const std::string name = std::string("curve/") + arm.name + "/" + std::to_string(size);
        result_.samples.add(name, arm.values);
        point["arms"][arm.name] = {{"unit", "us"}, {"samples", name}};
      }
    }
    return point;
  }

  const topic_request& asked_;
  device gpu_;
  topic_result result_;
};

}  // namespace

topic_result measure_vram(const topic_request& asked) {
  return vram_bench(asked).run();
}

}  // namespace pinhole::measure
