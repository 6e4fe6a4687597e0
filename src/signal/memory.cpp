// Zeroed memory in the right place, and stores that are on their way when they return.
#include "signal/memory.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "pinhole/core/error.hpp"
#include "pinhole/memory/mapped_buffer.hpp"
#include "pinhole/memory/staged_buffer.hpp"
#include "pinhole/memory/vram_buffer.hpp"
#include "platform/fences.hpp"
#include "platform/platform.hpp"

namespace pinhole::detail {

storage_handle make_device_polled(const device& where, std::size_t bytes) {
  if (!vram_in_cpu_address_space(where)) {
    return make_host_polled(where, bytes);
  }
  auto made = make_vram(where, bytes, {});
  made->write(0, std::vector<std::byte>(bytes).data(), bytes);
  return made;
}

storage_handle make_host_polled(const device& where, std::size_t bytes) {
  auto made = make_mapped(where, bytes, {});
  std::memset(made->host(), 0, bytes);
  return made;
}

storage_handle make_device_only(const device& where, std::size_t bytes) {
  auto made = make_staged(where, bytes, {.host = host_memory::pageable});
  std::memset(made->host(), 0, bytes);
  // On a stream of its own: the legacy default stream waits for the streams of others, in which
  // there may be kernels that stay.
  const stream work(where);
  auto& driver = where.backend();
  platform::require(driver,
                    driver.copy_async(made->on_device(), made->host(), bytes,
                                      platform::copy_way::to_device, work.native()),
                    "clear the memory of a signal on " + where.id());
  work.wait(std::chrono::seconds(10));
  return made;
}

bool is_polled_over_link(const storage& polled) noexcept {
  return polled.where().kind() == device_kind::cuda && polled.placed() == placement::mapped;
}

bool is_write_combining(const storage& polled) noexcept {
  return polled.where().kind() == device_kind::cuda && !is_polled_over_link(polled);
}

word_writer::word_writer(const storage& polled) noexcept : drains_(is_write_combining(polled)) {}

void word_writer::store(std::uint64_t* word, std::uint64_t value) const noexcept {
  if (drains_) {
    platform::drain_stores();
  }
  words::store(word, value);
  if (drains_) {
    platform::drain_stores();
  }
}

namespace {
constexpr std::size_t line = 64;
std::uint64_t* first_word(std::byte* memory) noexcept {
  return reinterpret_cast<std::uint64_t*>(memory);
}
}  // namespace

polled_word::polled_word(const device& where) : word_(make_device_polled(where, line)) {
  if (is_polled_over_link(*word_)) {
    relay_ = make_device_only(where, line);
  }
}

void polled_word::store(std::uint64_t value) const noexcept {
  word_writer(*word_).store(first_word(word_->host()), value);
}

words::polled polled_word::on_device() const noexcept {
  return {first_word(word_->on_device()), relay_ ? first_word(relay_->on_device()) : nullptr};
}

void polled_word::to_device(const stream_ref& work) {
  word_->to_device(work, 0, 0);
  if (relay_) {
    relay_->to_device(work, 0, 0);
  }
}

}  // namespace pinhole::detail
