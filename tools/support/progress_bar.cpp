// A carriage return and an erased line are all that it takes.
#include "tools/support/progress_bar.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pinhole/core/error.hpp"
#include "platform/linux/standard_streams.hpp"

namespace pinhole::tool {

namespace {

constexpr auto stream = platform::standard_stream::error;
constexpr std::size_t bar_width = 24;
constexpr std::string_view erase_line = "\r\x1b[K";

}  // namespace

progress_bar::progress_bar(std::chrono::seconds otherwise)
    : on_terminal_(platform::is_terminal(stream)), otherwise_(otherwise) {}

progress_bar::~progress_bar() {
  wipe();
}

void progress_bar::show(std::string_view what, double done) {
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) {
    return;
  }
  if (!on_terminal_) {
    if (otherwise_ > std::chrono::seconds::zero()) {
      next_ = now + otherwise_;
      platform::write_all(stream, fmt::format("{:3.0f} % {}\n", done * 100, what));
    }
    return;
  }
  next_ = now + std::chrono::milliseconds(100);
  const auto filled = static_cast<std::size_t>(std::clamp(done, 0.0, 1.0) * bar_width);
  std::string line = fmt::format("[{:<{}}] {:3.0f} % {}", std::string(filled, '='), bar_width,
                                 std::clamp(done, 0.0, 1.0) * 100, what);
  // A line that wraps could not be erased.
  const std::size_t columns = platform::terminal_columns(stream);
  line.resize(std::min(line.size(), columns > 0 ? columns - 1 : 79));
  visible_ = true;
  platform::write_all(stream, std::string(erase_line) + line);
}

void progress_bar::wipe() noexcept {
  if (visible_) {
    visible_ = false;
    try {
      platform::write_all(stream, erase_line);
    } catch (const error&) {
      // The terminal has gone, and the line with it.
      on_terminal_ = false;
    }
  }
}

}  // namespace pinhole::tool
