// Size classes, blocks, and pieces that wait for the device.
#include "memory/pool_core.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <string>
#include <utility>

#include "pinhole/core/units.hpp"
#include "platform/device_state.hpp"
#include "platform/linux/host_memory.hpp"

namespace pinhole::detail {

namespace {

constexpr std::size_t granule = 64;  // a cache line: neighbours do not disturb each other
constexpr std::size_t most_alignment = 4096;

std::size_t round_up(std::size_t bytes, std::size_t step) {
  return (bytes + step - 1) / step * step;
}

}  // namespace

std::size_t size_class(std::size_t bytes, std::size_t alignment) {
  std::size_t step = granule;
  if (bytes > 8 * granule) {
    step = std::bit_floor(bytes - 1) / 8;
  }
  return round_up(std::max<std::size_t>(bytes, 1), std::max(step, alignment));
}

/// What a pool leaves behind: blocks that cannot be released yet.
class pool_core::remains final : public retirable {
 public:
  remains(blocks left, std::vector<waiting_piece> waiting) noexcept
      : left_(std::move(left)), waiting_(std::move(waiting)) {}

  bool try_release() noexcept override {
    while (!waiting_.empty()) {
      auto& mark = *waiting_.back().done;
      auto& driver = mark.where.backend();
      const auto now = driver.query_event(mark.native);
      if (!now.ok()) {
        driver.clear_last_error();
        if (now.what == platform::outcome::not_ready ||
            now.what == platform::outcome::not_permitted) {
          return false;
        }  // a failed device runs nothing any more
      }
      waiting_.pop_back();
    }
    std::erase_if(left_, [](auto& one) { return one.second->memory.release(); });
    return left_.empty();
  }

 private:
  blocks left_;
  std::vector<waiting_piece> waiting_;
};

pool_core::pool_core(const device& where, const pool_options& options)
    : where_(where), options_(options), made_in_(platform::fork_generation()) {}

pool_core::~pool_core() {
  auto left = std::make_unique<remains>(std::move(blocks_), std::move(waiting_));
  if (made_in_ != platform::fork_generation()) {
    static_cast<void>(left.release());  // the memory is the parent's
  } else if (where_.state().retired.is_held() || !left->try_release()) {
    where_.state().retired.add(std::move(left));
  }
}

void* pool_core::allocate(std::size_t bytes, std::size_t alignment) {
  const auto asked = "allocate " + format_bytes(bytes) + " from a pinned pool on " + where_.id();
  if (!std::has_single_bit(alignment) || alignment > most_alignment) {
    reject(asked, "the alignment of " + std::to_string(alignment) +
                      " is no power of two of at most " + std::to_string(most_alignment));
  }
  if (bytes > SIZE_MAX / 2) {
    throw platform::to_error({platform::outcome::out_of_memory, "", "more than the address space"},
                             asked);
  }
  const auto piece_bytes = size_class(bytes, alignment);
  {
    const std::lock_guard lock(mutex_);
    collect_waiting();
    if (auto* const piece = take(piece_bytes); piece != nullptr) {
      ++counts_.hits;
      return piece;
    }
  }
  auto made = make_block(piece_bytes);  // others shall not wait for it
  const std::lock_guard lock(mutex_);
  add_block(std::move(made));
  ++counts_.misses;
  return take(piece_bytes);
}

std::unique_ptr<pool_core::block> pool_core::make_block(std::size_t piece_bytes) {
  where_.state().retired.collect();
  auto made = std::make_unique<block>();
  made->piece_bytes = piece_bytes;
  made->pieces = std::max<std::size_t>(1, options_.block_bytes / piece_bytes);
  const auto asked = "pin " + format_bytes(made->bytes()) + " for a pinned pool on " + where_.id();
  require_mapping(where_, asked);
  mapped_options options;
  options.budget = options_.budget;
  made->memory = pinned_block(where_, made->bytes(), options, asked);
  return made;
}

void pool_core::add_block(std::unique_ptr<block> made) {
  auto& unused = unused_[made->piece_bytes];
  // All pieces that there are fit into the list, so that giving back needs no memory.
  std::size_t pieces = made->pieces;
  for (const auto& [first, one] : blocks_) {
    pieces += one->piece_bytes == made->piece_bytes ? one->pieces : 0;
  }
  unused.reserve(pieces);
  auto* const first = made->memory.host();
  for (std::size_t i = made->pieces; i > 0; --i) {
    unused.push_back(first + (i - 1) * made->piece_bytes);
  }
  counts_.held_bytes += made->bytes();
  blocks_.emplace(first, std::move(made));
}

std::byte* pool_core::take(std::size_t piece_bytes) {
  const auto found = unused_.find(piece_bytes);
  if (found == unused_.end() || found->second.empty()) {
    return nullptr;
  }
  auto* const piece = found->second.back();
  found->second.pop_back();
  ++block_of(piece)->lent;
  ++counts_.lent;
  counts_.lent_bytes += piece_bytes;
  return piece;
}

pool_core::block* pool_core::block_of(const void* memory) noexcept {
  const auto* const at = static_cast<const std::byte*>(memory);
  auto next = blocks_.upper_bound(at);
  if (next == blocks_.begin()) {
    return nullptr;
  }
  --next;
  return at < next->first + next->second->bytes() ? next->second.get() : nullptr;
}

void pool_core::put(std::byte* piece) noexcept {
  auto& from = *block_of(piece);
  --from.lent;
  --counts_.lent;
  counts_.lent_bytes -= from.piece_bytes;
  unused_.find(from.piece_bytes)->second.push_back(piece);
}

void pool_core::give_back(void* memory) noexcept {
  const std::lock_guard lock(mutex_);
  if (block_of(memory) != nullptr) {
    put(static_cast<std::byte*>(memory));
    return;
  }
  report_cleanup(error({.kind = fault::invalid_argument,
                        .asked = "give memory back to a pinned pool",
                        .call = {},
                        .status = "it is not from this pool",
                        .remedy = {},
                        .sticky = false,
                        .survives = {}}));
}

void pool_core::give_back_after(void* memory, const stream_ref& work) {
  const std::string asked = "give memory back to a pinned pool on " + where_.id();
  if (work.where() != where_) {
    reject(asked, "the stream belongs to " + work.where().id());
  }
  auto& driver = where_.backend();
  waiting_piece giving{static_cast<std::byte*>(memory), std::make_unique<event>(where_)};
  platform::require(driver, driver.record_event(giving.done->native, work.native()), asked);
  const std::lock_guard lock(mutex_);
  if (block_of(memory) == nullptr) {
    reject(asked, "it is not from this pool");
  }
  waiting_.push_back(std::move(giving));
}

void pool_core::collect_waiting() noexcept {
  auto& driver = where_.backend();
  std::erase_if(waiting_, [&](const waiting_piece& one) {
    const auto now = driver.query_event(one.done->native);
    if (!now.ok()) {
      driver.clear_last_error();
    }
    const bool may_be_used =
        now.what == platform::outcome::not_ready || now.what == platform::outcome::not_permitted;
    if (!may_be_used) {
      put(one.piece);
    }
    return !may_be_used;
  });
}

std::byte* pool_core::device_address(const void* memory) {
  const std::lock_guard lock(mutex_);
  const auto* const from = block_of(memory);
  if (from == nullptr) {
    reject("find the device's address of memory of a pinned pool", "it is not from this pool");
  }
  return from->memory.on_device() + (static_cast<const std::byte*>(memory) - from->memory.host());
}

pool_core::blocks pool_core::take_idle_blocks() {
  const std::lock_guard lock(mutex_);
  collect_waiting();
  blocks idle;
  for (auto next = blocks_.begin(); next != blocks_.end();) {
    const auto now = next++;
    auto& one = *now->second;
    if (one.lent == 0) {
      const auto* const first = now->first;
      std::erase_if(unused_.find(one.piece_bytes)->second, [&](const std::byte* piece) {
        return piece >= first && piece < first + one.bytes();
      });
      counts_.held_bytes -= one.bytes();
      idle.insert(blocks_.extract(now));
    }
  }
  return idle;
}

std::size_t pool_core::trim() {
  auto idle = take_idle_blocks();
  std::size_t bytes = 0;
  for (const auto& [first, one] : idle) {
    bytes += one->bytes();
  }
  auto left = std::make_unique<remains>(std::move(idle), std::vector<waiting_piece>{});
  if (where_.state().retired.is_held() || !left->try_release()) {
    where_.state().retired.add(std::move(left));
  }
  return bytes;
}

pool_statistics pool_core::statistics() {
  const std::lock_guard lock(mutex_);
  collect_waiting();
  auto now = counts_;
  now.waiting = waiting_.size();
  return now;
}

}  // namespace pinhole::detail
