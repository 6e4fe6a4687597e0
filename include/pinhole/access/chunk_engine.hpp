// Brings a long range to the device piece by piece, while kernels work on the pieces before.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "pinhole/platform/stream.hpp"

namespace pinhole {

/// Two chunks of device memory, each with a stream of its own: while one is being filled by the
/// copy engine, kernels read the other. The copy engine brings bytes over the link a little faster
/// than kernels do, and keeps no multiprocessor busy.
///
/// Make one, and use it for many ranges: that allocates nothing. One thread at a time.
class chunk_engine {
 public:
  /// Takes 2 * tuning.stream_chunk_bytes of device memory. Throws what the driver reports.
  explicit chunk_engine(const device& where);
  /// Waits for nothing: what still runs keeps its memory until it is done.
  ~chunk_engine();
  chunk_engine(chunk_engine&&) noexcept;
  chunk_engine& operator=(chunk_engine&&) noexcept;

  /// Queues the work on one chunk, bytes [first, first + bytes) of the range, on `lane`.
  using chunk_work = std::function<void(const stream_ref& lane, const std::byte* chunk,
                                        std::size_t first, std::size_t bytes)>;
  /// Queues copies of [from, from + bytes), which is pinned or managed host memory, and `use`
  /// behind each. All of it comes after what was queued on `work` before, and before what is queued
  /// on it later. Chunks hold whole units of `unit` bytes; the last may be short. `use` is called
  /// before this returns; chunks are in order, though two may be worked on at the same time. Throws
  /// what `use` throws and what the driver reports; then `work` still comes after what was queued.
  void run(const stream_ref& work, const std::byte* from, std::size_t bytes, std::size_t unit,
           const chunk_work& use);

 private:
  struct lane;
  void join(const stream_ref& work);

  device where_;
  std::size_t chunk_bytes_;
  std::unique_ptr<lane> lanes_[2];
};

}  // namespace pinhole
