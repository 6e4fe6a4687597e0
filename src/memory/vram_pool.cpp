// Best fit, with neighbours joined as soon as both are free.
#include "memory/vram_pool.hpp"

#include <iterator>
#include <memory>
#include <tuple>
#include <utility>

#include "platform/linux/host_memory.hpp"
#include "platform/release.hpp"

namespace pinhole::detail {

namespace {

std::size_t whole_granules(std::size_t bytes) noexcept {
  return (bytes + vram_pool::granule - 1) / vram_pool::granule * vram_pool::granule;
}

}  // namespace

bool vram_pool::smaller::operator()(const place* a, const place* b) const noexcept {
  return std::tuple(a->bytes, a->in, a->first) < std::tuple(b->bytes, b->in, b->first);
}

bool vram_pool::smaller::operator()(const place* a, std::size_t bytes) const noexcept {
  return a->bytes < bytes;
}

vram_pool::vram_pool(platform::backend& driver, std::size_t block_bytes) noexcept
    : driver_(driver),
      block_bytes_(whole_granules(block_bytes)),
      made_in_(platform::fork_generation()) {}

vram_pool::~vram_pool() {
  release_spares();
}

bool vram_pool::is_of_this_process() const noexcept {
  return made_in_ == platform::fork_generation();
}

platform::status vram_pool::take(std::size_t bytes, place*& out) {
  const std::lock_guard lock(mutex_);
  if (bytes > block_bytes_ / 2) {
    const auto result = add_block(bytes, false);
    if (result.ok()) {
      out = &blocks_.back().places.front();
    }
    return result;
  }
  const auto needed = whole_granules(bytes);
  auto found = free_.lower_bound(needed);
  if (found == free_.end()) {
    if (const auto result = add_block(block_bytes_, true); !result.ok()) {
      return result;
    }
    found = free_.lower_bound(needed);
  }
  out = *found;
  if (out->bytes > needed) {
    split(*out, needed);
  }
  claim(*out);
  return {};
}

/// Everything that can throw comes before the driver's memory.
platform::status vram_pool::add_block(std::size_t bytes, bool shared) {
  std::list<block> fresh(1);
  auto& made = fresh.front();
  auto& whole = made.places.emplace_back();
  made.self = fresh.begin();
  made.shared = shared;
  whole.in = &made;
  whole.bytes = bytes;
  whole.self = made.places.begin();
  seat_for(whole);
  if (const auto result = driver_.allocate_vram(bytes, made.memory); !result.ok()) {
    return result;
  }
  blocks_.splice(blocks_.end(), fresh);
  if (shared) {
    ++spares_;
    set_free(whole);
  } else {
    made.taken = 1;
  }
  return {};
}

void vram_pool::seat_for(place& newcomer) {
  free_places alone;
  alone.insert(&newcomer);
  newcomer.seat = alone.extract(alone.begin());
}

void vram_pool::claim(place& chosen) noexcept {
  chosen.seat = free_.extract(&chosen);
  chosen.is_free = false;
  if (chosen.in->taken++ == 0) {
    --spares_;
  }
}

void vram_pool::set_free(place& freed) noexcept {
  freed.is_free = true;
  free_.insert(std::move(freed.seat));
}

/// `from` keeps its first `bytes`; the rest becomes a free place behind it.
void vram_pool::split(place& from, std::size_t bytes) {
  auto& places = from.in->places;
  const auto made = places.emplace(std::next(from.self));
  auto& rest = *made;
  rest.in = from.in;
  rest.self = made;
  rest.first = from.first + bytes;
  rest.bytes = from.bytes - bytes;
  try {
    seat_for(rest);
  } catch (...) {
    places.erase(made);
    throw;
  }
  // Its size is its rank among the free places, so that it must leave them to change it.
  from.seat = free_.extract(&from);
  from.bytes = bytes;
  free_.insert(std::move(from.seat));
  set_free(rest);
}

/// Pre: both are neighbours, and neither is among the free places.
void vram_pool::absorb(place& into, place& next) noexcept {
  into.bytes += next.bytes;
  into.in->places.erase(next.self);
}

bool vram_pool::give_back(place* taken) noexcept {
  const std::lock_guard lock(mutex_);
  auto& home = *taken->in;
  if (home.taken == 1 && (!home.shared || spares_ > 0)) {
    return drop(home);
  }
  if (--home.taken == 0) {
    ++spares_;
  }
  auto* joined = taken;
  if (const auto after = std::next(taken->self); after != home.places.end() && after->is_free) {
    after->seat = free_.extract(&*after);
    absorb(*taken, *after);
  }
  if (taken->self != home.places.begin()) {
    auto& before = *std::prev(taken->self);
    if (before.is_free) {
      before.seat = free_.extract(&before);
      absorb(before, *taken);
      joined = &before;
    }
  }
  set_free(*joined);
  return true;
}

bool vram_pool::drop(block& unwanted) noexcept {
  if (!try_release<const platform::vram_block&>(driver_, &platform::backend::free_vram,
                                                unwanted.memory, "free vram")) {
    return false;
  }
  for (auto& one : unwanted.places) {
    if (one.is_free) {
      free_.erase(&one);
    }
  }
  blocks_.erase(unwanted.self);
  return true;
}

void vram_pool::release_spares() noexcept {
  if (!is_of_this_process()) {
    return;
  }
  const std::lock_guard lock(mutex_);
  for (auto next = blocks_.begin(); next != blocks_.end();) {
    auto& one = *next++;
    if (one.taken == 0 && drop(one)) {
      --spares_;
    }
  }
}

vram_pool::totals vram_pool::count() const {
  const std::lock_guard lock(mutex_);
  totals sum{.blocks = blocks_.size(), .free_places = free_.size()};
  for (const auto* one : free_) {
    sum.free_bytes += one->bytes;
  }
  return sum;
}

vram_pool& vram_pool_of(const device& where) {
  auto& state = where.state();
  const std::lock_guard lock(state.vram_mutex);
  auto* pool = static_cast<vram_pool*>(state.vram.get());
  if (pool == nullptr || !pool->is_of_this_process()) {
    static_cast<void>(state.vram.release());  // the parent's is left alone: it is not ours to free
    state.vram = std::make_unique<vram_pool>(where.backend(), where.tuning().vram_block_bytes);
    pool = static_cast<vram_pool*>(state.vram.get());
  }
  return *pool;
}

}  // namespace pinhole::detail
