// A kernel that stays on the device and serves the host.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "pinhole/core/units.hpp"
#include "pinhole/platform/launch.hpp"
#include "pinhole/platform/stream.hpp"
#include "pinhole/signal/bound.hpp"
#include "pinhole/signal/team.hpp"
#include "pinhole/signal/watch.hpp"

namespace pinhole {

template <class Request, class Reply>
class mailbox;
template <class T>
class ring_to_device;
template <class T>
class ring_to_host;

struct resident_options {
  unsigned blocks = 1;
  /// Per block. 0: 256 where all threads of a block work together, 1 otherwise.
  unsigned threads = 0;
  /// The kernel ends when this process has shown no sign of life for so long: a crash, a debugger,
  /// a suspended machine.
  std::chrono::nanoseconds heartbeat_limit = std::chrono::seconds(2);
  /// The kernel ends after so long in any case; 0: never. Measured on the device.
  std::chrono::nanoseconds lifetime{0};
  /// How long the constructor waits for the kernel to begin: other work may fill the device.
  std::chrono::nanoseconds start_wait = std::chrono::seconds(10);
  /// How long the destructor waits for the kernel to end.
  std::chrono::nanoseconds stop_wait = std::chrono::seconds(2);
  /// __global__ functions of your own that will be launched while this kernel stays. CUDA loads a
  /// kernel at its first launch, for which it may wait until the device is idle: these are loaded
  /// before, as are all kernels of residents and of for_each_index in the program.
  std::vector<const void*> also_load = {};
  const char* name = "resident kernel";  ///< for error messages
};

/// Owns a running kernel: the constructors (in kernel/resident.cuh) start it on a stream of its
/// own and return when it runs; stop() and the destructor end it. Three kinds of work:
///
/// - `resident(gpu, desk, handler)`: answers a mailbox; see thread_handler and block_handler;
/// - `resident(gpu, ring, handler)`: calls void handler(const T&) for each element that the host
///   pushes, or void handler(kernel::ring_writer<T, one_block>&, kernel::watch&) to fill a ring;
/// - `resident(gpu, body)`: calls void body(kernel::watch&, const kernel::grid_place&), which
/// returns
///   when should_end() says so.
///
/// Buffers and flags named after the options are leased: their memory stays while the kernel does,
/// even if they are destroyed. The signal that it serves always is.
///
/// The kernel ends when it is asked to, and also when this process goes away or stands still for
/// longer than the heartbeat limit: a thread of the library counts up a word that the kernel polls.
///
/// While it runs, the program must not call what waits for the whole device: cudaDeviceSynchronize,
/// cudaFree, cudaFreeHost, the first launch of a kernel that was not loaded (see also_load). A copy
/// in the legacy default stream is none of these: the kernel's stream is a non-blocking one. The
/// library's own calls wait for no kernel that stays; buffers that are destroyed meanwhile are kept
/// on the device's retire list until the kernel has ended. More blocks
/// than the device can run at once are refused, counted as if nothing else ran.
///
/// For one thread at a time. Moves, never copies.
class resident {
 public:
  template <class Body, class... Leased>
  resident(const device& where, Body body, resident_options options = {}, Leased&... leased);
  template <class Request, class Reply, class Handler, class... Leased>
  resident(const device& where, mailbox<Request, Reply>& desk, Handler handler,
           resident_options options = {}, Leased&... leased);
  template <class T, class Handler, class... Leased>
  resident(const device& where, ring_to_device<T>& ring, Handler handler,
           resident_options options = {}, Leased&... leased);
  template <class T, class Handler, class... Leased>
  resident(const device& where, ring_to_host<T>& ring, Handler handler,
           resident_options options = {}, Leased&... leased);

  /// Stops it, waiting up to options.stop_wait. Past that the kernel is left to its heartbeat, and
  /// its memory to the retire list. Never throws.
  ~resident();
  resident(resident&&) noexcept;
  resident& operator=(resident&&) noexcept;
  resident(const resident&) = delete;             // two would stop it twice
  resident& operator=(const resident&) = delete;  // two would stop it twice

  /// Asks the kernel to end and waits. What was asked or pushed before is served before it ends;
  /// from the call on the signal takes nothing new. A second stop() does nothing. Throws
  /// fault::timed_out (call it again), and what the kernel failed with.
  void stop(timeout limit);
  /// Whether it runs. Throws what it failed with.
  [[nodiscard]] bool is_running() const;
  /// Why it ended; `none` while it runs.
  [[nodiscard]] kernel::ending ended() const;
  /// Its stream, for waits that should notice when it fails.
  [[nodiscard]] const stream_ref& work() const;

 private:
  struct state;
  /// Checks, and makes what the kernel needs; `bound` may be null. Throws fault::invalid_argument
  /// for bad options, fault::not_supported under CUDA_LAUNCH_BLOCKING=1.
  void prepare(const device& where, resident_options options, std::shared_ptr<detail::bound> bound);
  [[nodiscard]] kernel::life_line life() const;
  /// Loads, checks and launches, and waits until the kernel runs. Throws fault::timed_out when it
  /// does not.
  void start(launch_request& request);
  void wait_until_it_runs(const std::string& asked);
  template <class Body, class... Leased>
  void run(Body body, unsigned threads, Leased&... leased);
  [[nodiscard]] state& mine() const;

  struct state_deleter {
    void operator()(state* unwanted) const noexcept;
  };
  using owned_state = std::unique_ptr<state, state_deleter>;
  /// It may end yet: when its handler returns, or for lack of a heartbeat. Until then nothing of it
  /// may go, nor may anything be released on the device.
  static void leave_to_itself(owned_state running) noexcept;
  owned_state state_;
};

}  // namespace pinhole
