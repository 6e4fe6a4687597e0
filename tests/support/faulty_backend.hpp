// The test double: a backend that works, except for the calls that a test tells it to fail.
#pragma once

#include <array>
#include <cstddef>
#include <iosfwd>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "platform/platform.hpp"

namespace pinhole::test {

/// Every primitive of the boundary that can fail, in the order of platform.hpp.
enum class primitive {
  describe,
  allocate_device,
  free_device,
  allocate_host,
  free_host,
  register_host,
  register_read_only,
  unregister_host,
  allocate_managed,
  free_managed,
  prefetch,
  vram_roads,
  allocate_vram,
  free_vram,
  classify,
  create_stream,
  destroy_stream,
  query_stream,
  owns_stream,
  create_event,
  destroy_event,
  record_event,
  wait_event,
  query_event,
  copy_async,
  copy_now,
  prepare_kernel,
  launch,
  call_host,
};
inline constexpr std::size_t primitive_count = 29;

/// As it is spelled in platform.hpp; this is also the `call` of an injected failure.
[[nodiscard]] const char* to_string(primitive which) noexcept;
/// Queries ask how far work is. A waiting loop makes as many as it needs, so that their number
/// differs from run to run; all other calls come in a fixed number.
[[nodiscard]] bool is_query(primitive which) noexcept;
/// Releases give back what another call made.
[[nodiscard]] bool is_release(primitive which) noexcept;

/// Which calls are numbered: all together, in the order in which they come, or one group alone.
enum class counted { all, commands, queries };

/// What was made through the double and not given back yet.
struct live_resources {
  std::size_t device_blocks = 0;
  std::size_t host_blocks = 0;
  std::size_t registrations = 0;
  std::size_t managed_blocks = 0;
  std::size_t vram_blocks = 0;
  std::size_t streams = 0;
  std::size_t events = 0;

  friend bool operator==(const live_resources&, const live_resources&) = default;
};
std::ostream& operator<<(std::ostream& out, const live_resources& live);

/// Wraps any backend and passes every call on, except the ones it is told to fail.
///
/// As drivers do, it leaves its last-error slot (one for each thread) set when it fails a call, and
/// only clear_last_error() empties it. As drivers do, a release that fails has released all the
/// same: its status is usually that of earlier work.
///
/// All members may be called from any thread.
class faulty_backend : public platform::backend {
 public:
  explicit faulty_backend(std::shared_ptr<platform::backend> real) : real_(std::move(real)) {}

  /// Starts counting at zero; call number `number` (the first is 0) then gives `what`.
  void fail_call(std::size_t number, platform::outcome what, counted which = counted::all);
  /// Starts counting at zero; from call number `number` on every call gives device_failed, as after
  /// a kernel that crashed.
  void lose_device(std::size_t number, counted which = counted::all);
  /// Every call of this primitive gives `what`.
  void fail_every(primitive which, platform::outcome what);
  /// No call fails any more; counting starts at zero.
  void heal();

  /// Calls since the last fail_call, lose_device, fail_every or heal.
  [[nodiscard]] std::size_t calls(counted which = counted::all) const;
  [[nodiscard]] std::size_t calls(primitive which) const;
  /// The primitive that was failed first since then; empty when none was.
  [[nodiscard]] std::optional<primitive> failed() const;

  [[nodiscard]] live_resources live() const;
  /// Releases of what was not live: given back twice, or never made here.
  [[nodiscard]] std::size_t wrong_releases() const;
  /// True when any thread's last-error slot still holds an injected failure.
  [[nodiscard]] bool last_error_is_set() const;

  [[nodiscard]] device_kind kind() const noexcept override { return real_->kind(); }
  platform::status describe(capabilities& into) override;
  platform::status allocate_device(std::size_t bytes, void** out) override;
  platform::status free_device(void* memory) override;
  platform::status allocate_host(std::size_t bytes, platform::host_flags flags, void** host,
                                 void** on_device) override;
  platform::status free_host(void* memory) override;
  platform::status register_host(void* first, std::size_t bytes, void** on_device) override;
  platform::status register_read_only(void* first, std::size_t bytes, void** on_device) override;
  platform::status unregister_host(void* first) override;
  platform::status allocate_managed(std::size_t bytes, platform::managed_home home,
                                    void** out) override;
  platform::status free_managed(void* memory) override;
  platform::status prefetch(void* first, std::size_t bytes, platform::copy_way way,
                            platform::native_stream work) override;
  platform::status vram_roads(std::vector<vram_road>& into) override;
  platform::status allocate_vram(std::size_t bytes, platform::vram_block& out) override;
  platform::status free_vram(const platform::vram_block& block) override;
  platform::status classify(const void* address, platform::address_facts& into) override;
  platform::status create_stream(stream_rank rank, platform::native_stream* out) override;
  platform::status destroy_stream(platform::native_stream work) override;
  platform::status query_stream(platform::native_stream work) override;
  platform::status owns_stream(platform::native_stream work) override;
  platform::status create_event(platform::native_event* out) override;
  platform::status destroy_event(platform::native_event mark) override;
  platform::status record_event(platform::native_event mark, platform::native_stream work) override;
  platform::status wait_event(platform::native_stream work, platform::native_event mark) override;
  platform::status query_event(platform::native_event mark) override;
  platform::status copy_async(void* to, const void* from, std::size_t bytes, platform::copy_way way,
                              platform::native_stream work) override;
  platform::status copy_now(void* to, const void* from, std::size_t bytes,
                            platform::copy_way way) override;
  platform::status prepare_kernel(const launch_request& what, unsigned& most_blocks) override;
  platform::status launch(const launch_request& what, platform::native_stream work) override;
  platform::status call_host(std::function<void()> what, platform::native_stream work) override;
  platform::status peek_last_error() override;
  void clear_last_error() override;

 private:
  enum class failing { nothing, one_call, all_from_a_call, one_primitive };
  struct plan {
    failing mode = failing::nothing;
    counted numbered = counted::all;
    std::size_t number = 0;
    primitive only = primitive::describe;
    platform::outcome what = platform::outcome::failed;
  };
  void start(const plan& next);
  /// Counts a call; the outcome that the plan has for it, if any.
  std::optional<platform::outcome> next_outcome(primitive which);
  template <class Call>
  platform::status pass(primitive which, Call&& real);
  /// Passes on what releases a thing that `made_by` made.
  template <class Call>
  platform::status pass_release(primitive which, primitive made_by, const void* what, Call&& real);
  void made(primitive by, const void* what);
  void gone(primitive by, const void* what);

  std::shared_ptr<platform::backend> real_;
  mutable std::mutex mutex_;
  plan plan_;
  std::array<std::size_t, primitive_count> calls_{};
  std::optional<primitive> failed_;
  std::map<primitive, std::multiset<const void*>> live_;  // by the primitive that made them
  std::set<std::thread::id> set_slots_;
  std::size_t wrong_releases_ = 0;
};

}  // namespace pinhole::test
