// What a resident kernel and the signal that it serves know of each other.
#pragma once

#include <cstdint>
#include <string>

#include "pinhole/platform/stream.hpp"

namespace pinhole::detail {

/// The resident kernel: its stream, and the word in which it says why it ended.
struct server {
  stream_ref work;
  const std::uint64_t* ended;
};

/// A signal that one resident kernel at a time may serve.
class bound {
 public:
  virtual ~bound() = default;
  /// Before the kernel starts. Throws fault::invalid_argument when another one serves it.
  virtual void attach(const server& by) = 0;
  /// Before the kernel is asked to end: nothing new may be signalled to it.
  virtual void close() noexcept = 0;
  /// After it has ended: what it has not answered stays unanswered.
  virtual void detach() noexcept = 0;
};

/// Throws fault::moved_from, naming `what`, unless it is held.
void check_not_moved_from(bool held, const char* what);
/// Throws fault::invalid_argument for a ring that several blocks are to serve.
void reject_more_blocks_than_one(unsigned blocks);
/// Throws what it means that the kernel which served `what` has ended while it was waited for.
[[noreturn]] void throw_ended(const server& by, const std::string& asked);

}  // namespace pinhole::detail
