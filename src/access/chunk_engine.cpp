// Copies in turn on two streams, and the joins with the caller's stream.
#include "pinhole/access/chunk_engine.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "access/device_scratch.hpp"
#include "pinhole/core/units.hpp"
#include "platform/platform.hpp"

namespace pinhole {

namespace {

constexpr const char* asked = "stream through a range";

void require_ok(const device& where, const platform::status& result) {
  if (!result.ok()) {
    platform::require(where.backend(), result, std::string(asked) + " on " + where.id());
  }
}

}  // namespace

/// A chunk of device memory, and the stream that fills and reads it.
struct chunk_engine::lane {
  lane(const device& where, std::size_t bytes)
      : work(where),
        chunk(std::make_unique<detail::device_scratch>(where, bytes, "to stream through")) {}
  ~lane() { detail::retire_scratch(work.where(), std::move(chunk)); }
  lane(const lane&) = delete;             // gives its memory back once
  lane& operator=(const lane&) = delete;  // gives its memory back once

  /// Behind its last work.
  [[nodiscard]] platform::native_event mark() const noexcept { return chunk->mark.native; }

  stream work;
  std::unique_ptr<detail::device_scratch> chunk;
};

chunk_engine::chunk_engine(const device& where)
    : where_(where), chunk_bytes_(std::max<std::size_t>(1, where.tuning().stream_chunk_bytes)) {
  for (auto& one : lanes_) {
    one = std::make_unique<lane>(where, chunk_bytes_);
  }
}

chunk_engine::chunk_engine(chunk_engine&&) noexcept = default;

chunk_engine& chunk_engine::operator=(chunk_engine&& other) noexcept {
  std::swap(where_, other.where_);
  std::swap(chunk_bytes_, other.chunk_bytes_);
  std::swap(lanes_, other.lanes_);
  return *this;
}

chunk_engine::~chunk_engine() = default;

void chunk_engine::run(const stream_ref& work, const std::byte* from, std::size_t bytes,
                       std::size_t unit, const chunk_work& use) {
  if (!lanes_[0]) {
    detail::reject(asked, "the engine was moved from");
  }
  if (work.where() != where_) {
    detail::reject(
        asked, "the engine belongs to " + where_.id() + ", and the stream to " + work.where().id());
  }
  if (unit == 0 || unit > chunk_bytes_) {
    detail::reject(asked, "an element of " + format_bytes(unit) + " does not fit into a chunk of " +
                              format_bytes(chunk_bytes_) + " (tuning.stream_chunk_bytes)");
  }
  auto& driver = where_.backend();
  for (const auto& one : lanes_) {
    require_ok(where_, driver.record_event(one->mark(), work.native()));
    require_ok(where_, driver.wait_event(one->work.native(), one->mark()));
  }
  const std::size_t at_once = chunk_bytes_ / unit * unit;
  try {
    for (std::size_t first = 0, turn = 0; first < bytes; first += at_once, ++turn) {
      const auto& one = *lanes_[turn % 2];
      const std::size_t count = std::min(at_once, bytes - first);
      require_ok(where_, driver.copy_async(one.chunk->data(), from + first, count,
                                           platform::copy_way::to_device, one.work.native()));
      use(one.work, one.chunk->data(), first, count);
    }
  } catch (...) {
    join(work);
    throw;
  }
  join(work);
}

/// What is queued on `work` from here on comes after both lanes.
void chunk_engine::join(const stream_ref& work) {
  auto& driver = where_.backend();
  for (const auto& one : lanes_) {
    require_ok(where_, driver.record_event(one->mark(), one->work.native()));
    require_ok(where_, driver.wait_event(work.native(), one->mark()));
  }
}

}  // namespace pinhole
