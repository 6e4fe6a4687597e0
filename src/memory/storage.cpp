// Bookkeeping of hand-overs, and destruction that waits for the device.
#include "pinhole/memory/storage.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>

#include "pinhole/core/error.hpp"
#include "platform/device_state.hpp"
#include "platform/event.hpp"
#include "platform/linux/host_memory.hpp"
#include "platform/platform.hpp"
#include "platform/wait.hpp"

namespace pinhole::detail {

storage::storage(const device& where, placement placed, std::size_t bytes) noexcept
    : device_(where), placed_(placed), bytes_(bytes), made_in_(platform::fork_generation()) {}

storage::~storage() = default;

void storage::check(const char* verb, std::size_t first, std::size_t count) const {
  if (first > bytes_ || count > bytes_ - first) {
    reject(std::string(verb) + " a range of a " + std::string(to_string(placed_)) + " buffer",
           "bytes [" + std::to_string(first) + ", +" + std::to_string(count) +
               ") reach past its end at " + std::to_string(bytes_));
  }
}

void storage::check(const char* verb, const stream_ref& work) const {
  if (work.where() != device_) {
    reject(std::string(verb) + " a buffer on " + device_.id(),
           "the stream belongs to " + work.where().id());
  }
}

storage::use& storage::use_on(const stream_ref& work) {
  const auto known =
      std::find_if(uses_.begin(), uses_.end(), [&](const use& one) { return one.work == work; });
  if (known != uses_.end()) {
    return *known;
  }
  forget_ended_uses();
  return uses_.emplace_back(use{work, nullptr, false});
}

/// So that a buffer which meets a new stream for each piece of work does not remember them all.
void storage::forget_ended_uses() noexcept {
  std::erase_if(uses_, [this](const use& one) {
    if (!one.work.end() || !one.work.end()->is_closed()) {
      return false;
    }
    const auto result = query(one);
    if (!result.ok() && result.what != platform::outcome::not_ready) {
      device_.backend().clear_last_error();
    }
    return result.ok();
  });
}

void storage::to_device(const stream_ref& work, std::size_t first, std::size_t count) {
  check("hand over", first, count);
  check("hand over", work);
  // Noted before anything is queued: a copy that fails half-way may still touch the bytes.
  use_on(work).on_device = true;
  if (count > 0) {
    move_to_device(work, first, count);
  }
}

void storage::to_host(const stream_ref& work, std::size_t first, std::size_t count) {
  check("hand back", first, count);
  check("hand back", work);
  auto& one = use_on(work);
  one.on_device = true;
  if (count > 0) {
    move_to_host(work, first, count);
  }
  if (!one.mark) {
    one.mark = std::make_unique<event>(device_);
  }
  auto& driver = device_.backend();
  platform::require(driver, driver.record_event(one.mark->native, work.native()),
                    "hand a buffer back on " + device_.id());
  one.on_device = count != bytes_;  // the rest is the device's still
}

void storage::read(std::size_t first, void* out, std::size_t count) const {
  check("read", first, count);
  if (count > 0) {
    copy_out(first, out, count);
  }
}

void storage::write(std::size_t first, const void* in, std::size_t count) {
  check("write", first, count);
  if (count > 0) {
    copy_in(first, in, count);
  }
}

void storage::move_to_device(const stream_ref& /*work*/, std::size_t /*first*/,
                             std::size_t /*count*/) {}

void storage::move_to_host(const stream_ref& /*work*/, std::size_t /*first*/,
                           std::size_t /*count*/) {}

void storage::copy_out(std::size_t first, void* out, std::size_t count) const {
  std::memcpy(out, host_ + first, count);
}

void storage::copy_in(std::size_t first, const void* in, std::size_t count) {
  std::memcpy(host_ + first, in, count);
}

void storage::mark_end_of_use() noexcept {
  auto& driver = device_.backend();
  for (auto& one : uses_) {
    if (!one.on_device || (one.work.end() && one.work.end()->is_closed())) {
      continue;
    }
    try {
      if (!one.mark) {
        one.mark = std::make_unique<event>(device_);
      }
      const auto result = driver.record_event(one.mark->native, one.work.native());
      if (result.ok()) {
        one.on_device = false;
      } else {
        driver.clear_last_error();
      }
    } catch (...) {  // look() asks the stream itself instead
      continue;
    }
  }
}

platform::status storage::query(const use& one) noexcept {
  auto& driver = device_.backend();
  if (!one.on_device) {
    return one.mark ? driver.query_event(one.mark->native) : platform::status{};
  }
  const auto& end = one.work.end();
  if (end && end->is_closed()) {
    return end->last ? driver.query_event(end->last->native) : platform::status{};
  }
  return driver.query_stream(one.work.native());
}

storage::state storage::look() noexcept {
  auto& driver = device_.backend();
  for (const auto& one : uses_) {
    const auto result = query(one);
    if (result.what == platform::outcome::not_ready) {
      return state::busy;
    }
    if (!result.ok()) {
      driver.clear_last_error();
      if (result.what == platform::outcome::not_permitted) {
        return state::unknown;
      }
      // A failed device runs nothing any more, so that nothing can touch the bytes.
    }
  }
  return state::idle;
}

bool storage::try_release() noexcept {
  return !device_.state().retired.is_held() && look() == state::idle && release();
}

void storage_deleter::operator()(storage* unwanted) const noexcept {
  std::unique_ptr<storage> owned(unwanted);
  if (owned->made_in_ != platform::fork_generation()) {
    // A child of the process that made it: the driver and the memory belong to the parent.
    static_cast<void>(owned.release());
    return;
  }
  const device where = owned->where();
  where.state().retired.collect();
  owned->mark_end_of_use();
  if (where.state().retired.is_held()) {
    where.state().retired.add(std::move(owned));
    return;
  }
  const auto give_up = std::chrono::steady_clock::now() + where.tuning().destroy_wait;
  platform::backoff waiting(where.tuning());
  auto now_is = owned->look();
  while (now_is == storage::state::busy && std::chrono::steady_clock::now() < give_up) {
    waiting.pause();
    now_is = owned->look();
  }
  if (now_is != storage::state::idle || !owned->release()) {
    where.state().retired.add(std::move(owned));
  }
}

const storage& held(const storage_handle& held) {
  if (!held) {
    throw error({.kind = fault::moved_from,
                 .asked = "use a buffer",
                 .call = {},
                 .status = "it was moved from",
                 .remedy = {},
                 .sticky = false,
                 .survives = {}});
  }
  return *held;
}

}  // namespace pinhole::detail
