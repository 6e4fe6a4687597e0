// An order of work on a device, and a reference to one that somebody else owns.
#pragma once

#include <memory>
#include <utility>

#include "pinhole/core/units.hpp"
#include "pinhole/platform/device.hpp"

struct CUstream_st;  // cudaStream_t is a pointer to this; no CUDA header is needed

namespace pinhole {

namespace detail {
struct stream_end;  // whether an owned stream still exists, see src/platform/event.hpp
}

/// Names a stream without owning it: one of ours, or any cudaStream_t. Cheap to copy. A stream of
/// another library must outlive every hand-over that was made on it, until the to_host or the
/// destruction of the buffer; a pinhole::stream may go first.
class stream_ref {
 public:
  /// A stream of another library. nullptr is CUDA's legacy default stream. Throws
  /// fault::invalid_argument on the CPU device, whose streams are never CUDA's, and when the stream
  /// belongs to another GPU.
  stream_ref(const device& where, CUstream_st* native);

  [[nodiscard]] const device& where() const noexcept { return device_; }
  /// As a cudaStream_t; on the CPU device an opaque handle that must not be given to CUDA. Throws
  /// fault::invalid_argument, as all members do, when it was a pinhole::stream that is gone.
  [[nodiscard]] CUstream_st* native() const;

  /// Blocks the calling thread until all work that was queued before the call is done, at most
  /// `limit`. After it returns the host may touch what was handed back with to_host. Throws
  /// fault::timed_out (the work goes on), or what the work itself failed with. The stream is
  /// queried while waiting, so a dead kernel is noticed at once. Not legal during graph capture.
  void wait(timeout limit) const;
  /// True when all queued work is done; throws what it failed with. Never blocks.
  [[nodiscard]] bool is_done() const;

  friend bool operator==(const stream_ref& a, const stream_ref& b) noexcept = default;

  /// For the library's own layers: null for streams of others.
  [[nodiscard]] const std::shared_ptr<detail::stream_end>& end() const noexcept { return end_; }

 private:
  friend class stream;
  stream_ref(const device& where, CUstream_st* native,
             std::shared_ptr<detail::stream_end> end) noexcept
      : device_(where), native_(native), end_(std::move(end)) {}

  device device_;
  CUstream_st* native_;
  std::shared_ptr<detail::stream_end> end_;
};

/// Whose work starts first where a device has not room for all of it.
enum class stream_rank {
  ordinary,
  first,  ///< work of this stream: for kernels that stay, which others are not to keep waiting
};

/// Owns a stream. On a GPU it does not synchronise with the legacy default stream. On the CPU
/// device it is a thread that runs work later and in order; an exception in a functor there is
/// thrown by the next wait() or is_done().
///
/// Moves, never copies. Any thread may use it. Destruction never throws and does not wait on a GPU
/// (queued work still runs); on the CPU device it finishes the queue.
class stream {
 public:
  /// Throws fault::call_failed or fault::device_failed.
  explicit stream(const device& where, stream_rank rank = stream_rank::ordinary);
  ~stream();
  stream(stream&&) noexcept;
  stream& operator=(stream&&) noexcept;
  stream(const stream&) = delete;             // two owners would destroy it twice
  stream& operator=(const stream&) = delete;  // two owners would destroy it twice

  /// Throws fault::moved_from after a move, as do wait(), is_done() and native().
  [[nodiscard]] stream_ref ref() const;
  operator stream_ref() const { return ref(); }  // NOLINT(google-explicit-constructor)

  [[nodiscard]] const device& where() const { return state().where(); }
  [[nodiscard]] CUstream_st* native() const { return state().native(); }
  void wait(timeout limit) const { state().wait(limit); }
  [[nodiscard]] bool is_done() const { return state().is_done(); }

 private:
  [[nodiscard]] const stream_ref& state() const;
  std::unique_ptr<stream_ref> ref_;
  unsigned made_in_;  // the fork generation
};

}  // namespace pinhole
