// Threads that share out a range of pages.
#include "memory/page_touch.hpp"

#include <algorithm>
#include <cstdint>
#include <system_error>

#include "pinhole/core/error.hpp"
#include "pinhole/core/units.hpp"
#include "platform/linux/host_limits.hpp"
#include "platform/linux/host_memory.hpp"
#include "platform/linux/numa.hpp"

namespace pinhole::detail {

namespace {

/// A few huge pages: enough that the threads do not meet, and little enough that they end together.
constexpr std::size_t piece_bytes = 8_MiB;

/// To read the limits takes longer than to make less memory than this.
constexpr std::size_t least_checked = 16_MiB;

std::size_t helpers_for(const device& where, std::size_t bytes) {
  const std::size_t most =
      std::min<std::size_t>(where.tuning().pin_threads, std::thread::hardware_concurrency());
  return std::max<std::size_t>(1, std::min(most, bytes / piece_bytes)) - 1;
}

}  // namespace

void require_fits_memory(std::size_t bytes, const std::string& asked) {
  if (bytes < least_checked) {
    return;
  }
  std::uint64_t most = platform::total_memory();
  std::string whose = "the machine has ";
  if (const auto cgroup = platform::cgroup_memory_limit(); cgroup && cgroup->bytes < most) {
    most = cgroup->bytes;
    whose = cgroup->source + " allows ";
  }
  if (bytes > most) {
    throw error({.kind = fault::out_of_memory,
                 .asked = asked,
                 .call = {},
                 .status = whose + format_bytes(most) + " of memory",
                 .remedy = "ask for less",
                 .sticky = false,
                 .survives = {}});
  }
}

page_touch::page_touch(const device& where, std::byte* first, std::size_t bytes)
    : first_(first), bytes_(bytes) {
  const std::size_t helpers = helpers_for(where, bytes);
  const auto near = helpers > 0 ? where.capabilities().numa_node : std::nullopt;
  threads_.reserve(helpers);
  try {
    while (threads_.size() < helpers) {
      threads_.emplace_back([this, near] {
        if (near) {
          platform::run_on_node(*near);
        }
        while (touch_piece()) {
        }
      });
    }
  } catch (const std::system_error&) {  // fewer threads do the same
  }
}

page_touch::~page_touch() {
  next_ = bytes_;
  wait();
}

bool page_touch::join_in(const std::function<bool(double)>& progress) {
  while (touch_piece()) {
    const auto begun = std::min(next_.load(), bytes_);
    if (progress && !progress(static_cast<double>(begun) / static_cast<double>(bytes_))) {
      next_ = bytes_;
      wait();
      return false;
    }
  }
  wait();
  return true;
}

bool page_touch::touch_piece() noexcept {
  const std::size_t page = platform::page_size();
  // Not past the end by more than a piece for each thread, so that it cannot wrap around.
  const std::size_t begin = next_ < bytes_ ? next_.fetch_add(piece_bytes) : bytes_;
  if (begin >= bytes_) {
    return false;
  }
  const std::size_t end = begin + std::min(piece_bytes, bytes_ - begin);
  for (std::size_t i = begin; i < end; i += page) {
    *const_cast<volatile std::byte*>(first_ + i) = std::byte{0};
  }
  return true;
}

void page_touch::wait() noexcept {
  for (auto& one : threads_) {
    one.join();
  }
  threads_.clear();
}

}  // namespace pinhole::detail
