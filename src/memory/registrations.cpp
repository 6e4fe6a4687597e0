// The map of registered ranges.
#include "memory/registrations.hpp"

#include <array>
#include <cinttypes>
#include <cstdio>
#include <mutex>
#include <span>
#include <utility>

#include "pinhole/core/error.hpp"
#include "pinhole/memory/registered_buffer.hpp"
#include "platform/linux/host_memory.hpp"
#include "platform/range_map.hpp"

namespace pinhole::detail {

namespace {

struct shared_map {
  std::mutex mutex;
  platform::range_map ranges;
};

/// Lives until the process ends, as long as any buffer can.
shared_map& registered() noexcept {
  static auto* const made = new shared_map;
  return *made;
}

/// Found out only where a message needs it. What was mapped at the same place since looks alive.
bool is_gone(const platform::address_range& range) {
  return platform::access_of(reinterpret_cast<const void*>(range.first), range.bytes) ==
         platform::page_access::not_mapped;
}

}  // namespace

std::string range_text(const void* first, std::size_t bytes) {
  const auto low = reinterpret_cast<std::uintptr_t>(first);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "[0x%" PRIxPTR ", 0x%" PRIxPTR ")", low, low + bytes);
  return text.data();
}

registration::registration(const void* first, std::size_t bytes, const std::string& asked) {
  const std::lock_guard lock(registered().mutex);
  if (const auto other = registered().ranges.overlapping(first, bytes)) {
    throw error({.kind = fault::already_registered,
                 .asked = asked,
                 .call = {},
                 .status = range_text(first, bytes) + " overlaps the registered range " +
                           range_text(reinterpret_cast<const void*>(other->first), other->bytes),
                 .remedy = is_gone(*other)
                               ? "that memory was freed while it was registered: end its buffer"
                               : "register the union of both once, and use parts of it",
                 .sticky = false,
                 .survives = {}});
  }
  registered().ranges.insert(first, bytes);
  first_ = first;
}

registration::registration(registration&& other) noexcept
    : first_(std::exchange(other.first_, nullptr)) {}

registration& registration::operator=(registration&& other) noexcept {
  std::swap(first_, other.first_);
  return *this;
}

registration::~registration() {
  if (first_ != nullptr) {
    const std::lock_guard lock(registered().mutex);
    registered().ranges.erase(first_);
  }
}

}  // namespace pinhole::detail

namespace pinhole {

std::span<const std::byte> registered_range(const void* address) {
  auto& all = detail::registered();
  const std::lock_guard lock(all.mutex);
  const auto found = all.ranges.overlapping(address, 1);
  return found ? std::span(reinterpret_cast<const std::byte*>(found->first), found->bytes)
               : std::span<const std::byte>();
}

}  // namespace pinhole
