// The topic `memory`: what pinning costs, and what sparse access to host memory reaches.
#include <string>

#include "benchmarks/topics.hpp"
#if !defined(PINHOLE_CPU_ONLY)
#include "benchmarks/memory_work.hpp"
#include "pinhole/core/units.hpp"
#include "pinhole/memory/pin_budget.hpp"
#endif

namespace pinhole::measure {

#if defined(PINHOLE_CPU_ONLY)

topic_result measure_memory(const topic_request& /*asked*/) {
  topic_result result;
  result.missing.emplace_back("every figure of memory: a CPU-only build has no link to measure");
  return result;
}

#else

namespace {

constexpr const char* batch =
    "cudaMemcpyBatchAsync of 10,000 blocks; multi-threaded pack + one copy is recorded beside it";

const figure all[] = {
    {"pin_8GiB_vs_cudahostalloc",
     "ratio",
     "cudaHostAlloc of 8 GiB",
     {"ratio_of_medians", "pin large by cudaHostAlloc, ms", "pin large, ms"}},
    {"pool_hit_vs_pin_64MiB",
     "ratio",
     "cudaHostAlloc of 64 MiB, first",
     {"ratio_of_medians", "cudaHostAlloc of 64 MiB, us", "pool hit of 64 MiB, us"}},
    {"random_read_128B_4GiB_managed_vs_hostalloc",
     "ratio",
     "same kernel over cudaHostAlloc memory",
     {"ratio_of_medians", "read 128 B, managed, 4096 MiB, reads/s",
      "read 128 B, cudaHostAlloc, 4096 MiB, reads/s"}},
    {"random_read_128B_16GiB_vs_256MiB",
     "ratio",
     "its own rate at 256 MiB",
     {"ratio_of_medians", "read 128 B, managed, 16384 MiB, reads/s",
      "read 128 B, managed, 256 MiB, reads/s"}},
    {"random_write_4B_4GiB_managed_vs_hostalloc",
     "ratio",
     "same kernel over cudaHostAlloc memory",
     {"ratio_of_medians", "write 4 B, managed, 4096 MiB, writes/s",
      "write 4 B, cudaHostAlloc, 4096 MiB, writes/s"}},
    {"gather_512B_vs_batch",
     "ratio",
     batch,
     {"ratio_of_medians", "blocks of 512 B, batch, us", "blocks of 512 B, gather, us"}},
    {"gather_4KiB_vs_batch",
     "ratio",
     "as above",
     {"ratio_of_medians", "blocks of 4096 B, batch, us", "blocks of 4096 B, gather, us"}},
    {"gather_64KiB_vs_batch",
     "ratio",
     "as above",
     {"ratio_of_medians", "blocks of 65536 B, batch, us", "blocks of 65536 B, gather, us"}},
    {"gather_4KiB_of_sm_peak",
     "ratio",
     "hand-written sequential read, same run",
     {"ratio_of_medians", "blocks of 4096 B, as many bytes read in order, us",
      "blocks of 4096 B, gather, us"}},
    {"rows_1412B_vs_plain_loop",
     "ratio",
     "one warp a row from its first byte",
     {"ratio_of_medians", "rows of 1412 B, plain loop, us", "rows of 1412 B, gather, us"}},
    {"sequential_read_4_SMs_of_all",
     "ratio",
     "the same read on all SMs",
     {"ratio_of_medians", "read in order on all SMs, us", "read in order on 4 SMs, us"}},
    {"sequential_write_4_SMs_of_all",
     "ratio",
     "the same write on all SMs",
     {"ratio_of_medians", "write in order on all SMs, us", "write in order on 4 SMs, us"}},
    {"stream_through_1GiB_vs_copy_engine",
     "ratio",
     "plain cudaMemcpy of 1 GiB with no kernel",
     {"ratio_of_medians", "cudaMemcpy, us", "stream through, us"}},
    {"behind_big_copy_p50",
     "ratio",
     "64 KiB copy queued behind a 256 MiB copy; the big copy in 2 MiB chunks is recorded beside it",
     {"ratio_of_medians", "64 KiB copied behind a big copy, us",
      "64 KiB read in place beside a big copy, us"}},
    {"behind_big_copy_p99",
     "ratio",
     "as above",
     {"ratio_of_p99", "64 KiB copied behind a big copy, us",
      "64 KiB read in place beside a big copy, us"}},
    {"registrations_100k_lookup_us",
     "us",
     "none",
     {"median", "lookup among 100000 registrations, us", ""}}};

/// Curves by name; each point names the samples of its arms.
json curves_json(const std::vector<curve_point>& points) {
  json curves = json::object();
  for (const auto& one : points) {
    auto& curve = curves[one.curve];
    curve["x"] = one.x_name;
    auto& line = curve["points"];
    if (line.empty() || line.back()["x"] != one.x) {
      line.push_back({{"x", one.x}});
    }
    line.back()["arms"][one.arm] = one.samples;
  }
  return curves;
}

}  // namespace

topic_result measure_memory(const topic_request& asked) {
  topic_result result;
  if (asked.where.kind() == device_kind::cpu) {
    result.missing.emplace_back("every figure of memory: the CPU device has no link to measure");
    return result;
  }
  // Some of what is measured is larger than a tenth of most machines.
  pin_budget::process().set_limit(24_GiB);
  memory_samples samples;
  const auto stage = [&](double from) {
    return [&asked, from](const char* what, double done) { asked.progress(what, from + done / 4); };
  };
  measure_blocks(asked.where, asked.full, samples, stage(0));
  measure_ranges(asked.where, asked.full, samples, stage(0.25));
  measure_tables(asked.where, asked.full, samples, stage(0.5));
  measure_pinning(asked.where, asked.full, samples, stage(0.75));
  for (const auto& [name, values] : samples.by_name) {
    result.samples.add(name, values);
  }
  result.details["curves"] = curves_json(samples.curves);
  for (const auto& one : all) {
    const bool is_there =
        result.samples.find(one.how.numerator) != nullptr &&
        (one.how.denominator.empty() || result.samples.find(one.how.denominator) != nullptr);
    if (is_there) {
      result.figures.push_back(figure_json(one, result.samples));
    } else {
      result.missing.push_back(one.name + ": its sizes are measured with full sizes only");
    }
  }
  return result;
}

#endif

}  // namespace pinhole::measure
