// Starting, watching and ending a kernel that stays.
#include "pinhole/signal/resident.hpp"

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "pinhole/core/error.hpp"
#include "platform/device_state.hpp"
#include "platform/linux/host_memory.hpp"
#include "platform/platform.hpp"
#include "signal/heart.hpp"
#include "signal/host_wait.hpp"
#include "signal/memory.hpp"

namespace pinhole {

/// Everything that must stay while the kernel does. When it does not end in time this moves to the
/// device's retire list.
struct resident::state final : retirable {
  state(const device& on, resident_options how, std::shared_ptr<detail::bound> what)
      : where(on),
        options(std::move(how)),
        serves(std::move(what)),
        owned(on, stream_rank::first),
        work(owned.ref()),
        life_word(on),
        signs_memory(detail::make_host_polled(on, sizeof(kernel::life_signs))),
        made_in(platform::fork_generation()) {
    life_word.to_device(work);
    signs_memory->to_device(work, 0, 0);
  }

  [[nodiscard]] const kernel::life_signs& signs() const noexcept {
    return *reinterpret_cast<const kernel::life_signs*>(signs_memory->host());
  }
  [[nodiscard]] std::string name() const { return std::string(options.name) + " on " + where.id(); }

  void begin() {
    if (serves) {
      serves->attach({work, &signs().ended});
    }
    where.state().retired.hold();
    detail::heart::process().beat(life_word, options.heartbeat_limit);
    runs = true;
  }
  /// After the kernel has ended, or has failed, or was never launched.
  void end() noexcept {
    runs = false;
    detail::heart::process().forget(life_word);
    if (serves) {
      serves->detach();
    }
    where.state().retired.let_go();
    where.state().retired.collect();
  }
  void ask_to_end() noexcept {
    if (serves) {
      serves->close();
    }
    detail::heart::process().stop(life_word);
  }

  /// The retire list asks: has it ended by now?
  bool try_release() noexcept override {
    const auto result = where.backend().query_stream(work.native());
    if (result.what == platform::outcome::not_ready ||
        result.what == platform::outcome::not_permitted) {
      return false;
    }
    if (!result.ok()) {
      where.backend().clear_last_error();
    }
    if (runs) {
      end();
    }
    return true;
  }

  device where;
  resident_options options;
  std::shared_ptr<detail::bound> serves;
  stream owned;
  stream_ref work;
  detail::polled_word life_word;
  detail::storage_handle signs_memory;
  unsigned made_in;  // the fork generation
  bool runs = false;
};

void resident::prepare(const device& where, resident_options options,
                       std::shared_ptr<detail::bound> bound) {
  const std::string asked = std::string("start a ") + options.name + " on " + where.id();
  if (options.blocks == 0) {
    detail::reject(asked, "it needs at least one block");
  }
  if (options.heartbeat_limit <= std::chrono::nanoseconds(0) ||
      options.lifetime < std::chrono::nanoseconds(0) ||
      options.start_wait < std::chrono::nanoseconds(0) ||
      options.stop_wait < std::chrono::nanoseconds(0)) {
    detail::reject(
        asked,
        "the heartbeat limit must be positive, lifetime, start_wait and stop_wait not negative");
  }
  const char* const blocking = std::getenv("CUDA_LAUNCH_BLOCKING");
  if (where.kind() == device_kind::cuda && blocking != nullptr &&
      std::string_view(blocking) == "1") {
    throw error({.kind = fault::not_supported,
                 .asked = asked,
                 .call = {},
                 .status =
                     "CUDA_LAUNCH_BLOCKING=1 makes every launch wait for its kernel's end, and "
                     "this kernel does not end",
                 .remedy = "unset CUDA_LAUNCH_BLOCKING before the program starts",
                 .sticky = false,
                 .survives = {}});
  }
  state_.reset(new state(where, std::move(options), std::move(bound)));
}

kernel::life_line resident::life() const {
  const auto& my = *state_;
  return {.host = my.life_word.on_device(),
          .signs = reinterpret_cast<kernel::life_signs*>(my.signs_memory->on_device()),
          .heartbeat_limit = static_cast<std::uint64_t>(my.options.heartbeat_limit.count()),
          .lifetime = static_cast<std::uint64_t>(my.options.lifetime.count())};
}

namespace {

/// All kernels that the library may launch while one stays. What fails to load here says so where
/// it is launched.
void load_listed_kernels(const device& where) {
  auto& driver = where.backend();
  auto& loaded = where.state().loaded;
  const auto* const newest = detail::listed_kernel::newest();
  const auto* const known = loaded.load(std::memory_order_acquire);
  for (const auto* one = newest; one != known && one != nullptr; one = one->next()) {
    launch_request wanted;
    wanted.cuda_kernel = one->cuda_kernel();
    unsigned unused = 0;
    if (!driver.prepare_kernel(wanted, unused).ok()) {
      driver.clear_last_error();
    }
  }
  loaded.store(newest, std::memory_order_release);
}

}  // namespace

void resident::start(launch_request& request) {
  auto& my = *state_;
  auto& driver = my.where.backend();
  const std::string asked = "start a " + my.name();
  request.name = my.options.name;
  request.blocks = my.options.blocks;
  unsigned at_once = 0;
  if (driver.kind() == device_kind::cuda) {
    load_listed_kernels(my.where);
  }
  for (const void* const other : my.options.also_load) {
    launch_request loaded;
    loaded.cuda_kernel = other;
    platform::require(driver, driver.prepare_kernel(loaded, at_once), asked);
  }
  platform::require(driver, driver.prepare_kernel(request, at_once), asked);
  if (request.blocks > at_once) {
    detail::reject(asked, std::to_string(request.blocks) + " blocks of " +
                              std::to_string(request.threads) + " threads: at most " +
                              std::to_string(at_once) +
                              " run at once, and those that wait would never start");
  }
  my.begin();
  try {
    launch(my.work, request);
  } catch (...) {
    my.end();
    throw;
  }
  wait_until_it_runs(asked);
}

void resident::wait_until_it_runs(const std::string& asked) {
  auto& my = *state_;
  detail::host_wait waiting(my.where, my.options.start_wait, wait_policy::spin_then_yield);
  try {
    if (!detail::wait_until(
            waiting, [&] { return words::look(&my.signs().runs) != 0; },
            [&] { return my.work.is_done(); })) {
      waiting.give_up(asked, "the kernel was launched and has not begun",
                      "other work fills the device, or its queue (CUDA_DEVICE_MAX_CONNECTIONS): "
                      "start it earlier, or raise resident_options::start_wait");
    }
  } catch (const error&) {
    my.ask_to_end();
    leave_to_itself(std::move(state_));
    throw;
  }
}

void resident::leave_to_itself(owned_state running) noexcept {
  const device where = running->where;
  where.state().retired.add(std::unique_ptr<retirable>(running.release()));
}

void resident::state_deleter::operator()(state* unwanted) const noexcept {
  delete unwanted;
}

resident::state& resident::mine() const {
  detail::check_not_moved_from(state_ != nullptr, "a resident kernel");
  return *state_;
}

void resident::stop(timeout limit) {
  auto& my = mine();
  if (!my.runs) {
    return;
  }
  my.ask_to_end();
  detail::host_wait waiting(my.where, limit, wait_policy::spin_then_yield);
  try {
    bool done = my.work.is_done();
    if (!done && !detail::wait_until(
                     waiting, [&] { return done; }, [&] { return done = my.work.is_done(); })) {
      waiting.give_up("stop a " + my.name(), "it has not ended",
                      "a handler may be at work: stop it again, with more time");
    }
  } catch (const error& failure) {
    if (failure.kind() != fault::timed_out) {
      my.end();  // a kernel that failed runs no more
    }
    throw;
  }
  my.end();
}

bool resident::is_running() const {
  return mine().runs && !mine().work.is_done();
}

kernel::ending resident::ended() const {
  return static_cast<kernel::ending>(words::look(&mine().signs().ended));
}

const stream_ref& resident::work() const {
  return mine().work;
}

resident::~resident() {
  if (!state_) {
    return;
  }
  if (state_->made_in != platform::fork_generation()) {
    static_cast<void>(state_.release());  // the kernel is the parent's
    return;
  }
  try {
    stop(state_->options.stop_wait);
  } catch (const error& failure) {
    detail::report_cleanup(failure);
  }
  if (state_->runs) {
    leave_to_itself(std::move(state_));
  }
}

resident::resident(resident&&) noexcept = default;

resident& resident::operator=(resident&& other) noexcept {
  resident taken(std::move(other));  // so that what this one ran is stopped here
  std::swap(state_, taken.state_);
  return *this;
}

}  // namespace pinhole
