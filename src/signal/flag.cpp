// The host's end of a flag.
#include "pinhole/signal/flag.hpp"

#include <optional>
#include <string>
#include <utility>

#include "pinhole/core/error.hpp"
#include "pinhole/signal/bound.hpp"
#include "platform/event.hpp"
#include "signal/host_wait.hpp"
#include "signal/memory.hpp"

namespace pinhole {

namespace detail {

/// What a flag owns: the words, and the host's own counts.
struct flag_words {
  explicit flag_words(const device& on)
      : where(on),
        down(on),
        up(make_host_polled(on, sizeof(std::uint64_t))),
        own(make_device_only(on, 2 * sizeof(std::uint64_t))) {}

  [[nodiscard]] std::uint64_t kernels_raised() const noexcept {
    return words::look(word(up->host()));
  }
  /// Throws what the kernels that the flag was handed to have failed with.
  void ask_kernels() const {
    if (handed_to && !(handed_to->end() && handed_to->end()->is_closed())) {
      (void)handed_to->is_done();  // done or not: another stream may raise it
    }
  }
  static std::uint64_t* word(std::byte* at) noexcept {
    return reinterpret_cast<std::uint64_t*>(at);
  }

  device where;
  polled_word down;
  storage_handle up;
  storage_handle own;
  std::optional<stream_ref> handed_to;  // the last stream, which is asked whether it has failed
  std::uint64_t raised = 0;             // how often the host has
  std::uint64_t lowered = 0;            // the kernels' count when the host lowered
};

}  // namespace detail

flag::flag(const pinhole::device& where) : words_(std::make_unique<detail::flag_words>(where)) {}
flag::~flag() = default;
flag::flag(flag&&) noexcept = default;
flag& flag::operator=(flag&&) noexcept = default;

detail::flag_words& flag::words() const {
  detail::check_not_moved_from(words_ != nullptr, "a flag");
  return *words_;
}

void flag::raise() {
  auto& mine = words();
  mine.down.store(++mine.raised);
}

void flag::lower() {
  auto& mine = words();
  mine.lowered = mine.kernels_raised();
}

bool flag::is_raised() const {
  const auto& mine = words();
  return mine.kernels_raised() != mine.lowered;
}

void flag::wait_until_raised(timeout limit, wait_policy policy, const stream_ref* work) const {
  const auto& mine = words();
  bool ended = false;
  detail::host_wait waiting(mine.where, limit, policy);
  const auto ask_kernel = [&] {
    mine.ask_kernels();
    return ended = work != nullptr && work->is_done();
  };
  if (detail::wait_until(
          waiting, [&] { return mine.kernels_raised() != mine.lowered; }, ask_kernel)) {
    return;
  }
  const std::string asked = "see a flag raised on " + mine.where.id();
  const std::string seen =
      "kernels have raised it " + std::to_string(mine.kernels_raised()) + " times so far";
  if (ended) {
    throw error({.kind = fault::call_failed,
                 .asked = asked,
                 .call = {},
                 .status = "the kernel has ended without raising it; " + seen,
                 .remedy = {},
                 .sticky = false,
                 .survives = {}});
  }
  waiting.give_up(asked, seen, "give it more time, or look whether the kernel runs");
}

kernel::flag_end flag::device() const {
  const auto& mine = words();
  return {mine.down.on_device(), mine.word(mine.up->on_device()), mine.word(mine.own->on_device())};
}

void flag::to_device(const stream_ref& work) {
  auto& mine = words();
  mine.down.to_device(work);
  mine.up->to_device(work, 0, 0);
  mine.own->to_device(work, 0, 0);
  mine.handed_to = work;
}

}  // namespace pinhole
