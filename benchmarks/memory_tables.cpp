// Random access to tables across the link: how it ends past the reach of small pages.
#include <algorithm>
#include <cstring>
#include <memory>

#include "benchmarks/memory_kernels.hpp"
#include "benchmarks/memory_timing.hpp"
#include "pinhole/access/gather.hpp"
#include "pinhole/access/index_order.hpp"
#include "pinhole/memory/copy.hpp"
#include "pinhole/memory/managed_buffer.hpp"
#include "pinhole/memory/staged_buffer.hpp"

namespace pinhole::measure {

namespace {

constexpr std::size_t line_words = 32;

/// Memory from cudaHostAlloc itself, with its pages touched by the driver.
class bare_pinned {
 public:
  explicit bare_pinned(std::size_t bytes) { must(cudaHostAlloc(&memory_, bytes, 0)); }
  ~bare_pinned() { cudaFreeHost(memory_); }
  bare_pinned(const bare_pinned&) = delete;
  bare_pinned& operator=(const bare_pinned&) = delete;
  [[nodiscard]] void* data() const noexcept { return memory_; }

 private:
  void* memory_ = nullptr;
};

/// A table whose first `bytes`, a power of two, are used.
struct used_table {
  std::string kind;
  std::uint32_t* words;
  std::size_t bytes;
};

/// Random access to tables, of which more and more is used.
class table_runs {
 public:
  explicit table_runs(const device& where) : work_(where), sum_(where, 1) {}

  timed_arm reads(const used_table& table) {
    return {.name = name_of("read 128 B, ", table) + "reads/s",
            .run = [this, table] { read(table, count); },
            .per_us = count,
            .on_curve = point_of(table, "read 128 B, ", "reads/s")};
  }
  timed_arm writes(const used_table& table) {
    return {.name = name_of("write 4 B, ", table) + "writes/s",
            .run = [this, table] { write(table, count); },
            .per_us = count,
            .on_curve = point_of(table, "write 4 B, ", "writes/s")};
  }
  /// What kernels wrote is what the host reads, and the other way round.
  void check(const used_table& table) {
    constexpr std::uint64_t few = 20'000;
    write(table, few);
    const auto words = table.bytes / sizeof(std::uint32_t);
    for (std::uint64_t i = 0; i < few; ++i) {
      const auto at = scatter_bits(seed_ + i) & (words - 1);
      const auto last = table.words[at];  // of those that wrote there
      require_right(last < few && (scatter_bits(seed_ + last) & (words - 1)) == at,
                    name_of("write 4 B, ", table));
    }
    sum_.host()[0] = 0;
    sum_.to_device(work_);
    read(table, few);
    sum_.to_host(work_);
    work_.wait(patience);
    std::uint32_t expected = 0;
    for (std::uint64_t i = 0; i < few; ++i) {
      const auto line = scatter_bits(seed_ + i) & (words / line_words - 1);
      for (std::size_t k = 0; k < line_words; ++k) {
        expected ^= table.words[line * line_words + k];
      }
    }
    require_right(sum_.host()[0] == expected, name_of("read 128 B, ", table));
  }

 private:
  static constexpr std::uint64_t count = 4'000'000;

  static std::string name_of(const char* what, const used_table& table) {
    return what + table.kind + ", " + std::to_string(table.bytes >> 20U) + " MiB, ";
  }
  static curve_point point_of(const used_table& table, const char* what, const char* unit) {
    return {.curve = "footprint",
            .x_name = "footprint, bytes",
            .x = static_cast<double>(table.bytes),
            .arm = what + table.kind,
            .samples = name_of(what, table) + unit};
  }
  void read(const used_table& table, std::uint64_t reads) {
    read_lines(work_, table.words, {table.bytes / 128, reads, seed_ += count},
               sum_.device().data());
    work_.wait(patience);
  }
  void write(const used_table& table, std::uint64_t writes) {
    write_words(work_, table.words, {table.bytes / 4, writes, seed_ += count});
    work_.wait(patience);
  }

  stream work_;
  staged_buffer<unsigned> sum_;  // kernels add to it on the device
  std::uint64_t seed_ = 0;
};

/// Rows of 128 bytes, gathered in the order of the list or window by window.
class gather_runs {
 public:
  explicit gather_runs(const device& where)
      : work_(where),
        which_(where, count),
        out_(where, count * line_words, {.host = host_memory::pageable}),
        order_(where, count) {}

  void choose(const used_table& table) {
    const auto lines = table.bytes / 128;
    for (std::size_t i = 0; i < count; ++i) {
      which_.host()[i] = static_cast<std::uint32_t>(scatter_bits(lines + i) & (lines - 1));
    }
    which_.to_device(work_);
    work_.wait(patience);
  }
  timed_arm arm(const used_table& table, bool by_windows) {
    const std::string what = by_windows ? "gather 128 B by windows" : "gather 128 B";
    const auto name = what + ", " + std::to_string(table.bytes >> 20U) + " MiB, rows/s";
    return {.name = name,
            .run = [this, table, by_windows] { run(table, by_windows); },
            .per_us = count,
            .on_curve = curve_point{.curve = "windows",
                                    .x_name = "footprint, bytes",
                                    .x = static_cast<double>(table.bytes),
                                    .arm = what,
                                    .samples = name}};
  }
  void check(const used_table& table, const timed_arm& one) {
    constexpr std::size_t few = 20'000;
    must(cudaMemset(out_.device().data(), 0xFF, out_.host().size_bytes()));
    one.run();
    std::vector<std::uint32_t> got(few * line_words);
    copy_to_host<std::uint32_t>(out_.where(), got, out_.device().subview(0, got.size()));
    for (std::size_t i = 0; i < few; ++i) {
      const auto* const row = table.words + which_.host()[i] * line_words;
      require_right(std::equal(row, row + line_words, &got[i * line_words]), one.name);
    }
  }

 private:
  static constexpr std::size_t count = 2'000'000;

  void run(const used_table& table, bool by_windows) {
    const view<const std::uint32_t> words(table.words, table.bytes / sizeof(std::uint32_t));
    gather(work_, rows<const std::uint32_t>(words, line_words), which_.device(), out_.device(),
           {.order = by_windows ? &order_ : nullptr});
    work_.wait(patience);
  }

  stream work_;
  staged_buffer<std::uint32_t> which_;
  staged_buffer<std::uint32_t> out_;
  index_order order_;
};

}  // namespace

void measure_tables(const device& where, bool full, memory_samples& into, const told& tell) {
  const std::size_t most_managed = full ? 16_GiB : 512_MiB;
  const std::size_t most_pinned = full ? 4_GiB : 512_MiB;
  tell("managed memory", 0);
  const managed_buffer<std::uint32_t> managed(where, most_managed / sizeof(std::uint32_t));
  tell("pinned memory", 0.2);
  const bare_pinned pinned(most_pinned);
  std::memset(pinned.data(), 0, most_pinned);
  table_runs runs(where);
  gather_runs gathers(where);
  for (std::size_t bytes = 64_MiB; bytes <= most_managed; bytes *= 2) {
    tell("random access",
         0.3 + 0.7 * static_cast<double>(bytes) / static_cast<double>(most_managed));
    std::vector<used_table> tables = {{"managed", managed.device().data(), bytes}};
    if (bytes <= most_pinned) {
      tables.push_back({"cudaHostAlloc", static_cast<std::uint32_t*>(pinned.data()), bytes});
    }
    std::vector<timed_arm> arms;
    for (const auto& table : tables) {
      runs.check(table);
      arms.push_back(runs.reads(table));
      arms.push_back(runs.writes(table));
    }
    if (bytes <= most_pinned) {
      gathers.choose(tables.back());
      for (const bool by_windows : {false, true}) {
        arms.push_back(gathers.arm(tables.back(), by_windows));
        gathers.check(tables.back(), arms.back());
      }
    }
    take_turns(full ? 15 : 3, arms, into);
  }
}

}  // namespace pinhole::measure
