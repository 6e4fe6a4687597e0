// What pinning costs: by the driver, by pages, from a pool; and finding one of many registrations.
#include <memory>
#include <optional>
#include <random>

#include "benchmarks/memory_timing.hpp"
#include "pinhole/memory/mapped_buffer.hpp"
#include "pinhole/memory/pinned_pool.hpp"
#include "pinhole/memory/registered_buffer.hpp"

namespace pinhole::measure {

namespace {

/// Fresh pinned memory of one size. Names without the size are those that the goals speak of.
void pin_fresh(const device& where, std::size_t bytes, unsigned rounds, memory_samples& into) {
  const std::string size = bytes == 8_GiB ? "" : " " + format_bytes(bytes);
  const std::string by_driver = "pin" + (size.empty() ? " large" : size) + " by cudaHostAlloc, ms";
  const std::string by_us = "pin" + (size.empty() ? " large" : size) + ", ms";
  for (unsigned round = 0; round <= rounds; ++round) {
    void* memory = nullptr;
    const double driver_us = time_us_of([&] { must(cudaHostAlloc(&memory, bytes, 0)); });
    must(cudaFreeHost(memory));
    std::optional<mapped_buffer<char>> buffer;
    const double ours_us = time_us_of([&] { buffer.emplace(where, bytes); });
    buffer->host()[bytes - 1] = 1;
    if (round > 0) {
      into.by_name[by_driver].push_back(driver_us / 1000);
      into.by_name[by_us].push_back(ours_us / 1000);
    }
  }
  for (const auto& [arm, samples] :
       {std::pair("cudaHostAlloc", by_driver), std::pair("mapped_buffer", by_us)}) {
    into.curves.push_back({.curve = "pinning",
                           .x_name = "bytes pinned",
                           .x = static_cast<double>(bytes),
                           .arm = arm,
                           .samples = samples});
  }
}

void hit_the_pool(const device& where, unsigned rounds, memory_samples& into) {
  constexpr std::size_t bytes = 64_MiB;
  constexpr unsigned hits = 1000;
  const pinned_pool pool(where);
  pool.deallocate(pool.allocate(bytes));
  std::vector<void*> kept;  // so that each allocation is a first one
  for (unsigned round = 0; round <= rounds; ++round) {
    void* memory = nullptr;
    const double pin_us = time_us_of([&] { must(cudaHostAlloc(&memory, bytes, 0)); });
    kept.push_back(memory);
    const double hits_us = time_us_of([&] {
      for (unsigned i = 0; i < hits; ++i) {
        pool.deallocate(pool.allocate(bytes));
      }
    });
    if (round > 0) {
      into.by_name["cudaHostAlloc of 64 MiB, us"].push_back(pin_us);
      into.by_name["pool hit of 64 MiB, us"].push_back(hits_us / hits);
    }
  }
  for (auto* const one : kept) {
    must(cudaFreeHost(one));
  }
}

void find_registrations(const device& where, std::size_t count, unsigned rounds,
                        memory_samples& into) {
  constexpr std::size_t page = 4096;
  constexpr unsigned lookups = 10'000;
  std::vector<char> memory(count * page);
  std::vector<registered_buffer<char>> all;
  all.reserve(count);
  const std::string among = " among " + std::to_string(count) + " registrations, us";
  const auto point = [&](const char* what) {
    into.curves.push_back({.curve = "registrations",
                           .x_name = "registrations",
                           .x = static_cast<double>(count),
                           .arm = what,
                           .samples = what + among});
  };
  const double register_us = time_us_of([&] {
    for (std::size_t i = 0; i < count; ++i) {
      all.emplace_back(where, std::span(memory).subspan(i * page, page));
    }
  });
  into.by_name["register" + among].push_back(register_us / static_cast<double>(count));
  std::minstd_rand random(1);
  for (unsigned round = 0; round <= rounds; ++round) {
    std::size_t found = 0;
    const double us = time_us_of([&] {
      for (unsigned i = 0; i < lookups; ++i) {
        found += registered_range(&memory[random() % memory.size()]).size();
      }
    });
    require_right(found == lookups * page, "looking for registrations");
    if (round > 0) {
      into.by_name["lookup" + among].push_back(us / lookups);
    }
  }
  const double unregister_us = time_us_of([&] { all.clear(); });
  into.by_name["unregister" + among].push_back(unregister_us / static_cast<double>(count));
  point("register");
  point("lookup");
  point("unregister");
}

}  // namespace

void measure_pinning(const device& where, bool full, memory_samples& into, const told& tell) {
  tell("pinning", 0);
  for (const std::size_t bytes : {1_MiB, 16_MiB, 64_MiB, 256_MiB, 1_GiB, 8_GiB}) {
    if (full || bytes <= 256_MiB) {
      pin_fresh(where, bytes, full ? 3 : 1, into);
    }
  }
  tell("the pool", 0.6);
  hit_the_pool(where, full ? 10 : 2, into);
  tell("registrations", 0.7);
  for (std::size_t count = 1; count <= (full ? 100'000U : 100U); count *= 10) {
    find_registrations(where, count, 20, into);
  }
}

}  // namespace pinhole::measure
