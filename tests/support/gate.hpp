// Work that lasts exactly as long as a test wants.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>

#include "pinhole/platform/stream.hpp"

namespace pinhole::test {

/// Holds a stream back: what is queued behind a closed gate does not start until open(). Opens when
/// it is destroyed, so that a failing test does not hang.
class gate {
 public:
  explicit gate(const stream_ref& work);
  ~gate() { open(); }
  gate(const gate&) = delete;
  gate& operator=(const gate&) = delete;

  void open();

 private:
  struct state {
    std::mutex mutex;
    std::condition_variable changed;
    bool is_open = false;
  };
  std::shared_ptr<state> state_ = std::make_shared<state>();  // the stream holds the other half
};

}  // namespace pinhole::test
