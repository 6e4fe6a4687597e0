// Counts, fails, and passes on.
#include "tests/support/faulty_backend.hpp"

#include <numeric>
#include <ostream>
#include <utility>

namespace pinhole::test {

using platform::native_event;
using platform::native_stream;
using platform::outcome;
using platform::status;

namespace {

constexpr std::array<const char*, primitive_count> names = {
    "describe",      "allocate_device",    "free_device",     "allocate_host",    "free_host",
    "register_host", "register_read_only", "unregister_host", "allocate_managed", "free_managed",
    "prefetch",      "vram_roads",         "allocate_vram",   "free_vram",        "classify",
    "create_stream", "destroy_stream",     "query_stream",    "owns_stream",      "create_event",
    "destroy_event", "record_event",       "wait_event",      "query_event",      "copy_async",
    "copy_now",      "prepare_kernel",     "launch",          "call_host",
};

std::size_t index_of(primitive which) {
  return static_cast<std::size_t>(which);
}

bool belongs_to(primitive which, counted group) {
  return group == counted::all || is_query(which) == (group == counted::queries);
}

}  // namespace

const char* to_string(primitive which) noexcept {
  return names[index_of(which)];
}

bool is_query(primitive which) noexcept {
  return which == primitive::query_stream || which == primitive::query_event;
}

bool is_release(primitive which) noexcept {
  switch (which) {
    case primitive::free_device:
    case primitive::free_host:
    case primitive::unregister_host:
    case primitive::free_managed:
    case primitive::free_vram:
    case primitive::destroy_stream:
    case primitive::destroy_event:
      return true;
    default:
      return false;
  }
}

std::ostream& operator<<(std::ostream& out, const live_resources& live) {
  return out << live.device_blocks << " device blocks, " << live.host_blocks << " host blocks, "
             << live.registrations << " registrations, " << live.managed_blocks
             << " managed blocks, " << live.vram_blocks << " vram blocks, " << live.streams
             << " streams, " << live.events << " events";
}

void faulty_backend::start(const plan& next) {
  const std::lock_guard lock(mutex_);
  plan_ = next;
  calls_.fill(0);
  failed_.reset();
}

void faulty_backend::fail_call(std::size_t number, outcome what, counted which) {
  start({.mode = failing::one_call, .numbered = which, .number = number, .what = what});
}

void faulty_backend::lose_device(std::size_t number, counted which) {
  start({.mode = failing::all_from_a_call,
         .numbered = which,
         .number = number,
         .what = outcome::device_failed});
}

void faulty_backend::fail_every(primitive which, outcome what) {
  start({.mode = failing::one_primitive, .only = which, .what = what});
}

void faulty_backend::heal() {
  start({});
}

std::size_t faulty_backend::calls(counted which) const {
  const std::lock_guard lock(mutex_);
  std::size_t sum = 0;
  for (std::size_t i = 0; i < primitive_count; ++i) {
    sum += belongs_to(static_cast<primitive>(i), which) ? calls_.at(i) : 0;
  }
  return sum;
}

std::size_t faulty_backend::calls(primitive which) const {
  const std::lock_guard lock(mutex_);
  return calls_.at(index_of(which));
}

std::optional<primitive> faulty_backend::failed() const {
  const std::lock_guard lock(mutex_);
  return failed_;
}

live_resources faulty_backend::live() const {
  const std::lock_guard lock(mutex_);
  const auto count = [this](primitive by) {
    const auto found = live_.find(by);
    return found == live_.end() ? std::size_t{0} : found->second.size();
  };
  return {.device_blocks = count(primitive::allocate_device),
          .host_blocks = count(primitive::allocate_host),
          .registrations = count(primitive::register_host),
          .managed_blocks = count(primitive::allocate_managed),
          .vram_blocks = count(primitive::allocate_vram),
          .streams = count(primitive::create_stream),
          .events = count(primitive::create_event)};
}

std::size_t faulty_backend::wrong_releases() const {
  const std::lock_guard lock(mutex_);
  return wrong_releases_;
}

bool faulty_backend::last_error_is_set() const {
  const std::lock_guard lock(mutex_);
  return !set_slots_.empty();
}

std::optional<outcome> faulty_backend::next_outcome(primitive which) {
  const std::lock_guard lock(mutex_);
  const bool numbered = belongs_to(which, plan_.numbered);
  std::size_t number = 0;
  for (std::size_t i = 0; i < primitive_count; ++i) {
    number += belongs_to(static_cast<primitive>(i), plan_.numbered) ? calls_.at(i) : 0;
  }
  ++calls_.at(index_of(which));
  const bool fails = (plan_.mode == failing::one_call && numbered && number == plan_.number) ||
                     (plan_.mode == failing::all_from_a_call &&
                      (failed_ || (numbered && number >= plan_.number))) ||
                     (plan_.mode == failing::one_primitive && which == plan_.only);
  if (!fails) {
    return std::nullopt;
  }
  if (!failed_) {
    failed_ = which;
  }
  if (plan_.what != outcome::not_ready) {  // an answer, not an error
    set_slots_.insert(std::this_thread::get_id());
  }
  return plan_.what;
}

template <class Call>
status faulty_backend::pass(primitive which, Call&& real) {
  const auto injected = next_outcome(which);
  const bool released_all_the_same = is_release(which) && injected != outcome::not_permitted;
  if (injected && !released_all_the_same) {
    return {*injected, to_string(which), "injected_failure"};
  }
  const status result = real();
  return injected ? status{*injected, to_string(which), "injected_failure"} : result;
}

template <class Call>
status faulty_backend::pass_release(primitive which, primitive made_by, const void* what,
                                    Call&& real) {
  return pass(which, [&] {
    gone(made_by, what);  // before another thread can be given the same address
    const status result = real();
    if (result.what == outcome::not_permitted) {
      made(made_by, what);
    }
    return result;
  });
}

void faulty_backend::made(primitive by, const void* what) {
  const std::lock_guard lock(mutex_);
  live_[by].insert(what);
}

void faulty_backend::gone(primitive by, const void* what) {
  const std::lock_guard lock(mutex_);
  auto& held = live_[by];
  const auto found = held.find(what);
  if (found == held.end()) {
    ++wrong_releases_;
  } else {
    held.erase(found);
  }
}

status faulty_backend::describe(capabilities& into) {
  return pass(primitive::describe, [&] { return real_->describe(into); });
}

status faulty_backend::allocate_device(std::size_t bytes, void** out) {
  return pass(primitive::allocate_device, [&] {
    const status result = real_->allocate_device(bytes, out);
    if (result.ok()) {
      made(primitive::allocate_device, *out);
    }
    return result;
  });
}

status faulty_backend::free_device(void* memory) {
  return pass_release(primitive::free_device, primitive::allocate_device, memory,
                      [&] { return real_->free_device(memory); });
}

status faulty_backend::allocate_host(std::size_t bytes, platform::host_flags flags, void** host,
                                     void** on_device) {
  return pass(primitive::allocate_host, [&] {
    const status result = real_->allocate_host(bytes, flags, host, on_device);
    if (result.ok()) {
      made(primitive::allocate_host, *host);
    }
    return result;
  });
}

status faulty_backend::free_host(void* memory) {
  return pass_release(primitive::free_host, primitive::allocate_host, memory,
                      [&] { return real_->free_host(memory); });
}

status faulty_backend::register_host(void* first, std::size_t bytes, void** on_device) {
  return pass(primitive::register_host, [&] {
    const status result = real_->register_host(first, bytes, on_device);
    if (result.ok()) {
      made(primitive::register_host, first);
    }
    return result;
  });
}

status faulty_backend::register_read_only(void* first, std::size_t bytes, void** on_device) {
  return pass(primitive::register_read_only, [&] {
    const status result = real_->register_read_only(first, bytes, on_device);
    if (result.ok()) {
      made(primitive::register_host, first);
    }
    return result;
  });
}

status faulty_backend::unregister_host(void* first) {
  return pass_release(primitive::unregister_host, primitive::register_host, first,
                      [&] { return real_->unregister_host(first); });
}

status faulty_backend::allocate_managed(std::size_t bytes, platform::managed_home home,
                                        void** out) {
  return pass(primitive::allocate_managed, [&] {
    const status result = real_->allocate_managed(bytes, home, out);
    if (result.ok()) {
      made(primitive::allocate_managed, *out);
    }
    return result;
  });
}

status faulty_backend::free_managed(void* memory) {
  return pass_release(primitive::free_managed, primitive::allocate_managed, memory,
                      [&] { return real_->free_managed(memory); });
}

status faulty_backend::prefetch(void* first, std::size_t bytes, platform::copy_way way,
                                native_stream work) {
  return pass(primitive::prefetch, [&] { return real_->prefetch(first, bytes, way, work); });
}

status faulty_backend::vram_roads(std::vector<vram_road>& into) {
  return pass(primitive::vram_roads, [&] { return real_->vram_roads(into); });
}

status faulty_backend::allocate_vram(std::size_t bytes, platform::vram_block& out) {
  return pass(primitive::allocate_vram, [&] {
    const status result = real_->allocate_vram(bytes, out);
    if (result.ok()) {
      made(primitive::allocate_vram, out.host);
    }
    return result;
  });
}

status faulty_backend::free_vram(const platform::vram_block& block) {
  return pass_release(primitive::free_vram, primitive::allocate_vram, block.host,
                      [&] { return real_->free_vram(block); });
}

status faulty_backend::classify(const void* address, platform::address_facts& into) {
  return pass(primitive::classify, [&] { return real_->classify(address, into); });
}

status faulty_backend::create_stream(stream_rank rank, native_stream* out) {
  return pass(primitive::create_stream, [&] {
    const status result = real_->create_stream(rank, out);
    if (result.ok()) {
      made(primitive::create_stream, *out);
    }
    return result;
  });
}

status faulty_backend::destroy_stream(native_stream work) {
  return pass_release(primitive::destroy_stream, primitive::create_stream, work,
                      [&] { return real_->destroy_stream(work); });
}

status faulty_backend::query_stream(native_stream work) {
  return pass(primitive::query_stream, [&] { return real_->query_stream(work); });
}

status faulty_backend::owns_stream(native_stream work) {
  return pass(primitive::owns_stream, [&] { return real_->owns_stream(work); });
}

status faulty_backend::create_event(native_event* out) {
  return pass(primitive::create_event, [&] {
    const status result = real_->create_event(out);
    if (result.ok()) {
      made(primitive::create_event, *out);
    }
    return result;
  });
}

status faulty_backend::destroy_event(native_event mark) {
  return pass_release(primitive::destroy_event, primitive::create_event, mark,
                      [&] { return real_->destroy_event(mark); });
}

status faulty_backend::record_event(native_event mark, native_stream work) {
  return pass(primitive::record_event, [&] { return real_->record_event(mark, work); });
}

status faulty_backend::wait_event(native_stream work, native_event mark) {
  return pass(primitive::wait_event, [&] { return real_->wait_event(work, mark); });
}

status faulty_backend::query_event(native_event mark) {
  return pass(primitive::query_event, [&] { return real_->query_event(mark); });
}

status faulty_backend::copy_async(void* to, const void* from, std::size_t bytes,
                                  platform::copy_way way, native_stream work) {
  return pass(primitive::copy_async, [&] { return real_->copy_async(to, from, bytes, way, work); });
}

status faulty_backend::copy_now(void* to, const void* from, std::size_t bytes,
                                platform::copy_way way) {
  return pass(primitive::copy_now, [&] { return real_->copy_now(to, from, bytes, way); });
}

status faulty_backend::prepare_kernel(const launch_request& what, unsigned& most_blocks) {
  return pass(primitive::prepare_kernel, [&] { return real_->prepare_kernel(what, most_blocks); });
}

status faulty_backend::launch(const launch_request& what, native_stream work) {
  return pass(primitive::launch, [&] { return real_->launch(what, work); });
}

status faulty_backend::call_host(std::function<void()> what, native_stream work) {
  return pass(primitive::call_host, [&] { return real_->call_host(std::move(what), work); });
}

status faulty_backend::peek_last_error() {
  {
    const std::lock_guard lock(mutex_);
    if (set_slots_.contains(std::this_thread::get_id())) {
      return {outcome::failed, "an earlier call", "injected_failure"};
    }
  }
  return real_->peek_last_error();
}

void faulty_backend::clear_last_error() {
  {
    const std::lock_guard lock(mutex_);
    set_slots_.erase(std::this_thread::get_id());
  }
  real_->clear_last_error();
}

}  // namespace pinhole::test
