// Scattered blocks and rows: gathered by one kernel, against the copy engine and a plain loop.
#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <thread>

#include "benchmarks/memory_kernels.hpp"
#include "benchmarks/memory_timing.hpp"
#include "pinhole/access/gather.hpp"
#include "pinhole/memory/copy.hpp"
#include "pinhole/memory/staged_buffer.hpp"

namespace pinhole::measure {

namespace {

/// So many scattered blocks of one size: by the copy engine, packed by CPU threads, and gathered.
class block_runs {
 public:
  block_runs(const device& where, view<std::byte> table, std::size_t block_bytes, std::size_t count)
      : block_bytes_(block_bytes),
        table_(table),
        work_(where),
        offsets_(where, count),
        packed_(where, count * block_bytes),
        near_(where, count * block_bytes, {.host = host_memory::pageable}) {
    std::minstd_rand random(static_cast<unsigned>(block_bytes + count));
    std::uniform_int_distribution<std::size_t> places(0, table.size() / block_bytes - 1);
    for (auto& one : offsets_.host()) {
      one = places(random) * block_bytes;
      from_.push_back(table.data() + one);
      to_.push_back(near_.device().data() + to_.size() * block_bytes);
    }
    sizes_.assign(count, block_bytes);
    offsets_.to_device(work_);
    near_.to_device(work_);
    work_.wait(patience);
  }

  void batch() {
    cudaMemcpyAttributes how{};
    how.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    std::size_t first = 0;
#if CUDART_VERSION >= 13000
    must(cudaMemcpyBatchAsync(to_.data(), from_.data(), sizes_.data(), sizes_.size(), &how, &first,
                              1, work_.native()));
#else
    std::size_t failed = 0;
    must(cudaMemcpyBatchAsync(to_.data(), const_cast<void**>(from_.data()), sizes_.data(),
                              sizes_.size(), &how, &first, 1, &failed, work_.native()));
#endif
    work_.wait(patience);
  }
  void pack_and_copy() {
    const std::size_t threads = std::min<std::size_t>(
        {16, std::thread::hardware_concurrency(), 1 + packed_.size() / 64_KiB});
    std::vector<std::thread> packers;
    for (std::size_t t = 1; t < threads; ++t) {
      packers.emplace_back([this, t, threads] { pack(t, threads); });
    }
    pack(0, threads);
    for (auto& one : packers) {
      one.join();
    }
    must(cudaMemcpyAsync(near_.device().data(), packed_.host().data(), packed_.size(),
                         cudaMemcpyHostToDevice, work_.native()));
    work_.wait(patience);
  }
  void gather_all() {
    gather_blocks(work_, table_, offsets_.device(), block_bytes_, near_.device());
    work_.wait(patience);
  }
  void read_as_many_in_order() {
    look_in_place(
        work_, {reinterpret_cast<const uint4*>(table_.data()), sizes_.size() * block_bytes_ / 16},
        reinterpret_cast<unsigned*>(near_.device().data()), all_blocks(work_.where()));
    work_.wait(patience);
  }

  /// Runs one way over memory that is zero, and compares what arrived.
  void check(const timed_arm& one) {
    std::ranges::fill(packed_.host(), std::byte{0});
    must(cudaMemset(near_.device().data(), 0, near_.size()));
    one.run();
    std::vector<std::byte> got(near_.size());
    copy_to_host(near_.where(), std::span(got), view<const std::byte>(near_.device()));
    for (std::size_t i = 0; i < from_.size(); ++i) {
      require_right(std::memcmp(&got[i * block_bytes_], from_[i], block_bytes_) == 0, one.name);
    }
  }

 private:
  void pack(std::size_t first, std::size_t step) {
    for (std::size_t i = first; i < from_.size(); i += step) {
      std::memcpy(&packed_.host()[i * block_bytes_], from_[i], block_bytes_);
    }
  }

  std::size_t block_bytes_;
  view<std::byte> table_;
  stream work_;
  mapped_buffer<std::uint64_t> offsets_;
  mapped_buffer<std::byte> packed_;
  staged_buffer<std::byte> near_;
  std::vector<void*> to_;
  std::vector<const void*> from_;
  std::vector<std::size_t> sizes_;
};

/// Where a point lies: on the curve over the blocks' size, or over their number.
curve_point point_of(bool over_size, std::size_t x, const char* arm, const std::string& samples) {
  return {.curve = over_size ? "block size" : "block count",
          .x_name = over_size ? "bytes of each of 10000 blocks" : "number of blocks of 512 B",
          .x = static_cast<double>(x),
          .arm = arm,
          .samples = samples};
}

struct block_shape {
  std::size_t bytes;
  std::size_t count;
  bool over_size;
};

void compare_blocks(const device& where, view<std::byte> table, const block_shape& shape,
                    unsigned rounds, memory_samples& into) {
  block_runs runs(where, table, shape.bytes, shape.count);
  const std::string name = shape.over_size ? "blocks of " + std::to_string(shape.bytes) + " B, "
                                           : std::to_string(shape.count) + " blocks of 512 B, ";
  const auto arm = [&](const char* what, void (block_runs::*run)()) {
    const std::string full_name = name + what + ", us";
    return timed_arm{
        .name = full_name,
        .run = [&runs, run] { (runs.*run)(); },
        .on_curve = point_of(shape.over_size, shape.over_size ? shape.bytes : shape.count, what,
                             full_name)};
  };
  std::vector<timed_arm> arms = {arm("batch", &block_runs::batch),
                                 arm("packed by threads", &block_runs::pack_and_copy),
                                 arm("gather", &block_runs::gather_all)};
  for (const auto& one : arms) {
    runs.check(one);
  }
  arms.push_back(arm("as many bytes read in order", &block_runs::read_as_many_in_order));
  take_turns(rounds, arms, into);
}

/// Rows in mapped memory: one kernel against the loop that one writes at first.
class row_runs {
 public:
  row_runs(const device& where, std::size_t row_bytes, std::size_t count)
      : row_bytes_(row_bytes),
        words_(row_bytes / sizeof(std::uint32_t)),
        work_(where),
        table_(where, 141'000'000 / row_bytes * words_),
        which_(where, count),
        out_(where, count * words_, {.host = host_memory::pageable}) {
    for (std::size_t i = 0; i < table_.size(); ++i) {
      table_.host()[i] = static_cast<std::uint32_t>(i);
    }
    std::minstd_rand random(5);
    const auto rows_there = table_.size() / words_;
    std::ranges::generate(which_.host(),
                          [&] { return static_cast<std::uint32_t>(random() % rows_there); });
    table_.to_device(work_);
    which_.to_device(work_);
    out_.to_device(work_);
    work_.wait(patience);
  }

  void plain() {
    copy_plain_rows(work_, {table_.device().data(), words_, which_.device().data(), which_.size(),
                            out_.device().data()});
    work_.wait(patience);
  }
  void gathered() {
    gather(work_, rows<std::uint32_t>(table_.device(), words_), which_.device(), out_.device());
    work_.wait(patience);
  }
  void check(const timed_arm& one) {
    must(cudaMemset(out_.device().data(), 0xFF, out_.size() * sizeof(std::uint32_t)));
    one.run();
    std::vector<std::uint32_t> got(out_.size());
    copy_to_host(out_.where(), std::span(got), view<const std::uint32_t>(out_.device()));
    for (std::size_t i = 0; i < got.size(); ++i) {
      const auto at = which_.host()[i / words_] * words_ + i % words_;
      require_right(got[i] == static_cast<std::uint32_t>(at), one.name);
    }
  }

  std::vector<timed_arm> arms() {
    const auto arm = [this](const char* what, void (row_runs::*run)()) {
      const std::string name = "rows of " + std::to_string(row_bytes_) + " B, " + what + ", us";
      return timed_arm{.name = name,
                       .run = [this, run] { (this->*run)(); },
                       .on_curve = curve_point{.curve = "row size",
                                               .x_name = "bytes of each row",
                                               .x = static_cast<double>(row_bytes_),
                                               .arm = what,
                                               .samples = name}};
    };
    return {arm("plain loop", &row_runs::plain), arm("gather", &row_runs::gathered)};
  }

 private:
  std::size_t row_bytes_;
  std::size_t words_;
  stream work_;
  mapped_buffer<std::uint32_t> table_;
  mapped_buffer<std::uint32_t> which_;
  staged_buffer<std::uint32_t> out_;
};

void compare_rows(const device& where, bool full, memory_samples& into) {
  for (const std::size_t row_bytes : {16, 64, 128, 500, 1412, 4096, 16'384}) {
    // About as many bytes at each size, so that none takes much longer.
    row_runs runs(where, row_bytes, std::clamp<std::size_t>(28'240'000 / row_bytes, 1, 200'000));
    const auto arms = runs.arms();
    for (const auto& one : arms) {
      runs.check(one);
    }
    take_turns(full ? 30 : 3, arms, into);
  }
}

}  // namespace

void measure_blocks(const device& where, bool full, memory_samples& into, const told& tell) {
  tell("blocks", 0);
  mapped_buffer<std::byte> table(where, full ? 1_GiB : 640_MiB);
  std::minstd_rand random(3);
  for (std::size_t i = 0; i < table.size(); i += sizeof(std::uint32_t)) {
    const auto value = static_cast<std::uint32_t>(random());
    std::memcpy(&table.host()[i], &value, sizeof value);
  }
  const auto within_reach = table.device().subview(0, 256_MiB);  // of the device's page tables
  for (const std::size_t bytes : {std::size_t{512}, 4_KiB, 16_KiB, 64_KiB}) {
    compare_blocks(where, bytes < 64_KiB ? within_reach : table.device(), {bytes, 10'000, true},
                   full ? 20 : 3, into);
  }
  tell("numbers of blocks", 0.5);
  for (const std::size_t count : {1, 10, 100, 1000, 100'000}) {
    compare_blocks(where, within_reach, {512, count, false}, full ? 20 : 3, into);
  }
  tell("rows", 0.7);
  compare_rows(where, full, into);
}

}  // namespace pinhole::measure
