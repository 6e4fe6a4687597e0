// A pattern is counted in a file that the page cache holds: how do its bytes reach the kernel?
#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <fstream>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "pinhole/core/units.hpp"
#include "pinhole/memory/copy.hpp"
#include "pinhole/memory/mapped_buffer.hpp"
#include "pinhole/memory/mapped_file.hpp"
#include "pinhole/memory/pin_budget.hpp"
#include "pinhole/memory/staged_buffer.hpp"
#include "platform/linux/file_mapping.hpp"
#include "scenarios/arms.hpp"
#include "scenarios/catalog.hpp"
#include "scenarios/count_pattern.hpp"
#include "scenarios/haystack.hpp"
#include "scenarios/sizes.hpp"

namespace pinhole::scenarios {

namespace {

using shared_haystack = std::shared_ptr<haystack>;

std::uint64_t pattern() {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, haystack::needle.data(), sizeof bytes);
  return bytes;
}

view<const byte_quad> quads_of(const std::byte* bytes, std::size_t count) {
  return {reinterpret_cast<const byte_quad*>(bytes), count / sizeof(byte_quad)};
}

/// A search of all of some quads, and what it found.
class whole_search {
 public:
  whole_search(const device& where, std::size_t bytes)
      : counts_(where, blocks_for(where, search_in(quads_of(nullptr, bytes)))) {}

  void start(const stream_ref& work, view<const byte_quad> quads) {
    counts_.to_device(work);
    count_pattern(work, search_in(quads), counts_.device());
    counts_.to_host(work);
  }
  [[nodiscard]] std::uint64_t found() const {
    return std::accumulate(counts_.host().begin(), counts_.host().end(), std::uint64_t{0});
  }

 private:
  static pattern_search search_in(view<const byte_quad> quads) {
    return {.quads = quads, .begins = quads.size(), .pattern = pattern()};
  }
  mapped_buffer<std::uint64_t> counts_;
};

// ---- arms ------------------------------------------------------------------------------------

class scanner : public arm {
 public:
  scanner(std::string name, role stands_for, shared_haystack file)
      : name_(std::move(name)), role_(stands_for), file_(std::move(file)) {}

  [[nodiscard]] std::string name() const final { return name_; }
  [[nodiscard]] role stands_for() const final { return role_; }
  [[nodiscard]] traffic moved() const override {
    return {.to_device = file_->bytes(), .to_host = sizeof(std::uint64_t)};
  }
  void prepare() final {
    found_.reset();
    file_->change();
  }
  [[nodiscard]] std::optional<std::string> check() final {
    const auto expected = file_->count();
    if (found_ == expected) {
      return std::nullopt;
    }
    return "places of '" + std::string(haystack::needle) + "' in the file: expected " +
           std::to_string(expected) + ", got " + (found_ ? std::to_string(*found_) : "none");
  }

 protected:
  [[nodiscard]] const haystack& file() const { return *file_; }
  void take(std::uint64_t found) { found_ = found; }

 private:
  std::string name_;
  role role_;
  shared_haystack file_;
  std::optional<std::uint64_t> found_;
};

/// The usual way: the whole file is read, then copied, then searched. Or it is mapped, so that the
/// driver reads the page cache itself, through its own pinned buffer.
enum class source { read, mapped };

class copying_scanner final : public scanner {
 public:
  copying_scanner(const device& where, const shared_haystack& file, source from)
      : scanner(from == source::read ? "read, copy" : "mmap, copy", role::naive_copy, file),
        from_(from),
        where_(where),
        work_(where),
        bytes_(where, file->bytes(), {.host = host_memory::pageable}),
        search_(where, file->bytes()) {}

  void run() override {
    if (from_ == source::read) {
      std::ifstream in(file().path(), std::ios::binary);
      in.read(reinterpret_cast<char*>(bytes_.host().data()),
              static_cast<std::streamsize>(bytes_.size()));
      send_to_device(where_, bytes_.device(), bytes_.host());
    } else {
      const platform::file_mapping mapped(file().path(), platform::file_access::shared_read_only, 0,
                                          SIZE_MAX, false);
      send_to_device(where_, bytes_.device(), std::span(mapped.data(), mapped.bytes()));
    }
    search_.start(work_, quads_of(bytes_.device().data(), bytes_.size()));
    work_.wait(patience);
    take(search_.found());
  }

 private:
  source from_;
  device where_;
  stream work_;
  staged_buffer<std::byte> bytes_;
  whole_search search_;
};

/// The expert's way: several threads read pieces into pinned memory, copy and search them, so that
/// reading, copying and searching overlap, and nothing is as large as the file.
class overlapped_scanner final : public scanner {
 public:
  overlapped_scanner(const device& where, const shared_haystack& file)
      : scanner("expert copy", role::expert_copy, file),
        in_(file->path(), platform::file_access::shared_read_only, 0, SIZE_MAX, false) {
    const auto most = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 2, 8);
    piece_bytes_ = std::min<std::size_t>(2_MiB, (in_.bytes() / most + 16) / 16 * 16);
    for (std::size_t i = 0; i < most && i * piece_bytes_ < in_.bytes(); ++i) {
      lanes_.push_back(std::make_unique<lane>(where, piece_bytes_));
    }
  }

  void run() override {
    next_ = 0;
    found_ = 0;
    failed_ = nullptr;
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < lanes_.size(); ++i) {
      others.emplace_back([this, i] { scan_pieces(*lanes_[i]); });
    }
    scan_pieces(*lanes_[0]);
    others.clear();  // joins them
    if (failed_) {
      std::rethrow_exception(failed_);
    }
    take(found_);
  }

 private:
  struct lane {
    lane(const device& where, std::size_t piece_bytes)
        : work(where),
          bytes(where, piece_bytes + sizeof(byte_quad)),
          counts(where, blocks_for(where, {{}, piece_bytes / sizeof(byte_quad), 0})) {}
    stream work;
    staged_buffer<std::byte> bytes;
    mapped_buffer<std::uint64_t> counts;
  };

  void scan_pieces(lane& mine) {
    try {
      for (auto first = next_.fetch_add(piece_bytes_); first < in_.bytes();
           first = next_.fetch_add(piece_bytes_)) {
        found_ += scan_piece(mine, first);
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failed_ = std::current_exception();
    }
  }
  /// A piece, and as much behind it as a pattern that begins in it may need.
  std::uint64_t scan_piece(lane& mine, std::size_t first) {
    const auto begins = std::min(piece_bytes_, in_.bytes() - first);
    const auto count = std::min(piece_bytes_ + sizeof(byte_quad), in_.bytes() - first);
    in_.read(first, mine.bytes.host().data(), count);
    mine.bytes.to_device(mine.work, 0, count);
    const pattern_search what{.quads = quads_of(mine.bytes.device().data(), count),
                              .begins = begins / sizeof(byte_quad),
                              .pattern = pattern()};
    mine.counts.to_device(mine.work);
    count_pattern(mine.work, what, mine.counts.device());
    mine.counts.to_host(mine.work);
    mine.work.wait(patience);
    const auto counts = mine.counts.host().first(blocks_for(mine.work.where(), what));
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  }

  platform::file_mapping in_;
  std::size_t piece_bytes_ = 0;
  std::vector<std::unique_ptr<lane>> lanes_;
  std::atomic<std::size_t> next_{0};  // what nobody has begun yet
  std::atomic<std::uint64_t> found_{0};
  std::mutex mutex_;  // guards failed_
  std::exception_ptr failed_;
};

/// The kernel reads the page cache's own pages. They are pinned for good, or in each run, as by a
/// program that scans a file once.
enum class pinned { before, in_each_run };

class scanner_in_place final : public scanner {
 public:
  scanner_in_place(const device& where, const shared_haystack& file, pinned when)
      : scanner(when == pinned::before ? "in place" : "in place, pinned anew", role::in_place,
                file),
        when_(when),
        where_(where),
        work_(where),
        search_(where, file->bytes()) {
    mapped_.emplace(where_, file->path());
    if (when_ == pinned::in_each_run) {
      mapped_.reset();
    }
  }

  [[nodiscard]] std::optional<placement> placed() const override { return placement::registered; }

  void run() override {
    if (when_ == pinned::in_each_run) {
      mapped_.emplace(where_, file().path());
    }
    mapped_->to_device(work_);
    search_.start(work_, mapped_->device());
    mapped_->to_host(work_);
    work_.wait(patience);
    take(search_.found());
    if (when_ == pinned::in_each_run) {
      mapped_.reset();
    }
  }

 private:
  pinned when_;
  device where_;
  stream work_;
  whole_search search_;
  std::optional<mapped_file<byte_quad>> mapped_;
};

// ---- trials ----------------------------------------------------------------------------------

std::unique_ptr<trial> make_trial(const settings& asked, std::uint64_t size) {
  auto made = std::make_unique<trial>();
  // In place it is pinned twice as a whole; the expert's pieces are at most as much.
  const std::uint64_t fits =
      fit_to_budget(size, 3, made->notes) / sizeof(byte_quad) * sizeof(byte_quad);
  const auto file = std::make_shared<haystack>(fits, asked.seed);
  made->label = format_bytes(fits) + " in the page cache";
  made->units = static_cast<double>(fits);
  made->unit = "B";
  made->read_as = reading::rate;
  made->most_repeats = fits > 256_MiB ? 10 : 1000;
  made->arms.push_back(std::make_unique<copying_scanner>(asked.where, file, source::read));
  made->arms.push_back(std::make_unique<copying_scanner>(asked.where, file, source::mapped));
  made->arms.push_back(std::make_unique<overlapped_scanner>(asked.where, file));
  if (asked.wants(placement::registered)) {
    try {
      for (const auto when : {pinned::before, pinned::in_each_run}) {
        made->arms.push_back(std::make_unique<scanner_in_place>(asked.where, file, when));
      }
    } catch (const error& refused) {
      if (refused.kind() != fault::not_supported) {
        throw;
      }
      made->notes.push_back(std::string("not in place: ") + refused.what());
    }
  }
  return made;
}

class scan_scenario final : public scenario {
 public:
  [[nodiscard]] std::string_view name() const override { return "scan"; }
  [[nodiscard]] std::string_view summary() const override {
    return "a pattern is counted in a file that the page cache holds";
  }

  [[nodiscard]] std::vector<planned_trial> plan(const settings& asked) const override {
    const auto size = asked_size(asked, name(), sizeof(byte_quad))
                          .value_or(asked.full                               ? 2_GiB
                                    : asked.where.kind() == device_kind::cpu ? 4_MiB
                                                                             : 64_MiB);
    return {{format_bytes(size), [=] { return make_trial(asked, size); }}};
  }
};

}  // namespace

const scenario& scan() {
  static const scan_scenario only;
  return only;
}

}  // namespace pinhole::scenarios
