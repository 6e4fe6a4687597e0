// Streams, and waiting for them with a deadline.
#include "pinhole/platform/stream.hpp"

#include <utility>

#include "platform/event.hpp"
#include "platform/linux/host_memory.hpp"
#include "platform/platform.hpp"
#include "platform/release.hpp"
#include "platform/wait.hpp"

namespace pinhole {

stream_ref::stream_ref(const device& where, CUstream_st* native) : device_(where), native_(native) {
  const std::string asked = "use a cudaStream_t on " + where.id();
  if (where.kind() == device_kind::cpu) {
    detail::reject(asked, "streams of the CPU device are pinhole::stream only");
  }
  platform::require(where.backend(), where.backend().owns_stream(native), asked);
}

CUstream_st* stream_ref::native() const {
  if (end_ && end_->is_closed()) {
    detail::reject("use a stream_ref", "its pinhole::stream was destroyed");
  }
  return native_;
}

void stream_ref::wait(timeout limit) const {
  auto& driver = device_.backend();
  auto* const work = native();
  const auto end = limit.from_now();
  platform::backoff waiting(device_.tuning());
  while (true) {
    const auto now_is = driver.query_stream(work);
    if (now_is.ok()) {
      return;
    }
    if (now_is.what != platform::outcome::not_ready) {
      platform::require(driver, now_is, "wait for a stream on " + device_.id());
    }
    if (std::chrono::steady_clock::now() >= end) {
      throw error({.kind = fault::timed_out,
                   .asked = "wait for a stream on " + device_.id(),
                   .call = {},
                   .status = "the deadline of " + format_duration(limit.limit()) + " has passed",
                   .remedy = "the work goes on: wait again, or give it more time",
                   .sticky = false,
                   .survives = {}});
    }
    waiting.pause();
  }
}

bool stream_ref::is_done() const {
  const auto now_is = device_.backend().query_stream(native());
  if (now_is.what == platform::outcome::not_ready) {
    return false;
  }
  if (!now_is.ok()) {
    platform::require(device_.backend(), now_is, "query a stream on " + device_.id());
  }
  return true;
}

stream::stream(const device& where, stream_rank rank) : made_in_(platform::fork_generation()) {
  CUstream_st* native = nullptr;
  platform::require(where.backend(), where.backend().create_stream(rank, &native),
                    "create a stream on " + where.id());
  try {
    ref_.reset(new stream_ref(where, native, std::make_shared<detail::stream_end>()));
  } catch (...) {
    platform::report(where.backend(), where.backend().destroy_stream(native), "destroy a stream");
    throw;
  }
}

stream::~stream() {
  if (!ref_ || made_in_ != platform::fork_generation()) {
    return;  // in a forked child the stream is the parent's
  }
  auto& driver = ref_->where().backend();
  auto& end = *ref_->end();
  auto* const native = ref_->native();
  if (ref_->end().use_count() > 1) {
    // A buffer that was handed over on this stream must be able to tell when its work is done.
    // Where none can be made, those who ask will take the stream for idle.
    auto last = detail::event::try_make(ref_->where(), "mark the end of a stream");
    if (last && platform::report(driver, driver.record_event(last->native, native),
                                 "mark the end of a stream")) {
      end.last = std::move(last);
    }
  }
  end.closed.store(true, std::memory_order_release);
  detail::release_or_retire(ref_->where(), &platform::backend::destroy_stream, native,
                            "destroy a stream");
}

stream::stream(stream&&) noexcept = default;

stream& stream::operator=(stream&& other) noexcept {
  stream taken(std::move(other));  // so that what this one held is destroyed here
  std::swap(ref_, taken.ref_);
  std::swap(made_in_, taken.made_in_);
  return *this;
}

stream_ref stream::ref() const {
  return state();
}

const stream_ref& stream::state() const {
  if (!ref_) {
    throw error({.kind = fault::moved_from,
                 .asked = "use a stream",
                 .call = {},
                 .status = "it was moved from",
                 .remedy = {},
                 .sticky = false,
                 .survives = {}});
  }
  return *ref_;
}

}  // namespace pinhole
