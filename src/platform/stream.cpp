// Streams, and waiting for them with a deadline.
#include "pinhole/platform/stream.hpp"

#include <utility>

#include "platform/platform.hpp"
#include "platform/wait.hpp"

namespace pinhole {

stream_ref::stream_ref(const device& where, CUstream_st* native)
    : device_(where), native_(native) {
  const std::string asked = "use a cudaStream_t on " + where.id();
  if (where.kind() == device_kind::cpu) {
    detail::reject(asked, "streams of the CPU device are pinhole::stream only");
  }
  platform::require(where.backend(), where.backend().owns_stream(native), asked);
}

void stream_ref::wait(timeout limit) const {
  auto& driver = device_.backend();
  const auto end = limit.from_now();
  platform::backoff waiting(device_.tuning());
  while (true) {
    const auto now_is = driver.query_stream(native_);
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
  const auto now_is = device_.backend().query_stream(native_);
  if (now_is.what == platform::outcome::not_ready) {
    return false;
  }
  if (!now_is.ok()) {
    platform::require(device_.backend(), now_is, "query a stream on " + device_.id());
  }
  return true;
}

stream::stream(const device& where) {
  CUstream_st* native = nullptr;
  platform::require(where.backend(), where.backend().create_stream(&native),
                    "create a stream on " + where.id());
  ref_.reset(new stream_ref(stream_ref::trusted{}, where, native));
}

stream::~stream() {
  if (ref_) {
    auto& driver = ref_->where().backend();
    platform::report(driver, driver.destroy_stream(ref_->native()), "destroy a stream");
  }
}

stream::stream(stream&&) noexcept = default;

stream& stream::operator=(stream&& other) noexcept {
  std::swap(ref_, other.ref_);
  return *this;
}

stream_ref stream::ref() const { return state(); }

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
