// Device memory that the CPU writes over the link.
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "memory/vram_pool.hpp"
#include "memory/wc_copy.hpp"
#include "memory/write_team.hpp"
#include "pinhole/memory/copy.hpp"
#include "pinhole/memory/vram_buffer.hpp"
#include "platform/device_state.hpp"
#include "platform/fences.hpp"
#include "platform/linux/host_limits.hpp"
#include "platform/platform.hpp"

namespace pinhole {

void drain_writes() noexcept {
  platform::drain_stores();
}

namespace detail {

namespace {

constexpr std::size_t split_from = std::size_t{1} << 20U;  // bytes of a write

/// What limits the memory that can be mapped, where something does.
std::string limits(const std::vector<vram_road>& roads) {
  std::string text;
  for (const auto& one : roads) {
    if (one.open && one.window_bytes > 0) {
      text += "; through " + one.name + " the CPU reaches " + format_bytes(one.window_bytes) +
              " of the device's memory" +
              (one.open.remedy.empty() ? "" : " (" + one.open.remedy + ")");
      break;
    }
  }
  if (const auto limit = platform::address_space_limit()) {
    text += "; the address space of this process is limited to " + format_bytes(*limit) +
            " (ulimit -v)";
  }
  return text;
}

[[noreturn]] void refuse(const device& where, const platform::status& result,
                         const std::string& asked) {
  auto& driver = where.backend();
  driver.clear_last_error();
  const auto plain = platform::to_error(result, asked);
  error_parts parts{.kind = plain.kind(),
                    .asked = asked,
                    .call = plain.call(),
                    .status = plain.status(),
                    .remedy = plain.remedy(),
                    .sticky = plain.is_sticky(),
                    .survives = plain.survives()};
  std::vector<vram_road> roads;
  const bool told =
      (plain.kind() == fault::not_supported || plain.kind() == fault::out_of_memory) &&
      driver.vram_roads(roads).ok();
  if (told && plain.kind() == fault::not_supported) {
    const auto none = summary(roads);
    parts.call.clear();
    parts.status = "the CPU has no way to this device's memory: " + none.reason;
    parts.remedy = none.remedy;
  } else if (told) {
    parts.remedy += limits(roads);
  }
  driver.clear_last_error();
  throw error(std::move(parts));
}

class vram_storage final : public storage {
 public:
  vram_storage(const device& where, std::size_t bytes, const vram_options& options)
      : storage(where, placement::vram, bytes), threads_(options.write_threads) {
    const auto asked = "allocate " + format_bytes(bytes) + " of vram on " + where.id();
    if (threads_ < 1 || threads_ > write_team::most_threads) {
      reject(asked, "write_threads is " + std::to_string(threads_) + " and may be 1 to " +
                        std::to_string(write_team::most_threads));
    }
    if (bytes == 0) {
      return;
    }
    if (threads_ > 1) {
      team_ = write_team::with(threads_);
    }
    if (const auto result = vram_pool_of(where).take(bytes, place_); !result.ok()) {
      refuse(where, result, asked);
    }
    host_ = place_->host();
    on_device_ = place_->on_device();
  }

 protected:
  void move_to_device(const stream_ref& /*work*/, std::size_t /*first*/,
                      std::size_t /*count*/) override {
    platform::drain_stores();
  }

  void copy_in(std::size_t first, const void* in, std::size_t count) override {
    auto* const to = host_ + first;
    const auto* const from = static_cast<const std::byte*>(in);
    if (!place_->write_combining()) {
      std::memcpy(to, from, count);
    } else if (team_ && count >= split_from) {
      team_->write(to, from, count, threads_);
    } else {
      wc_write(to, from, count);
    }
  }

  void copy_out(std::size_t first, void* out, std::size_t count) const override {
    if (!place_->write_combining()) {
      std::memcpy(out, host_ + first, count);
    } else if (count < device_.tuning().vram_read_by_engine_from) {
      wc_read(out, host_ + first, count);
    } else {
      platform::drain_stores();  // the engine, too, shall see what was stored before
      copy_now(device_, out, on_device_ + first, count, direction::to_host);
    }
  }

  bool release() noexcept override {
    if (place_ != nullptr && !vram_pool_of(device_).give_back(place_)) {
      return false;
    }
    place_ = nullptr;
    return true;
  }

 private:
  vram_pool::place* place_ = nullptr;
  unsigned threads_;
  std::shared_ptr<write_team> team_;  // set when threads_ > 1
};

}  // namespace

storage_handle make_vram(const device& where, std::size_t bytes, const vram_options& options) {
  where.state().retired.collect();
  return storage_handle(new vram_storage(where, bytes, options));
}

}  // namespace detail
}  // namespace pinhole
