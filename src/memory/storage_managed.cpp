// Managed memory: at home on the host, or where it was touched last.
#include <string>
#include <utility>

#include "memory/page_touch.hpp"
#include "memory/resource.hpp"
#include "pinhole/memory/managed_buffer.hpp"
#include "pinhole/memory/pin_budget.hpp"
#include "platform/device_state.hpp"

namespace pinhole::detail {

namespace {

class managed_storage final : public storage {
 public:
  managed_storage(const device& where, std::size_t bytes, const managed_options& options)
      : storage(where, placement::managed, bytes), home_(options.home) {
    const auto asked = "allocate " + format_bytes(bytes) + " of managed memory on " + where.id();
    if (const auto& able = where.capabilities().managed_concurrent; !able) {
      throw error({.kind = fault::not_supported,
                   .asked = asked,
                   .call = {},
                   .status = able.reason,
                   .remedy = able.remedy,
                   .sticky = false,
                   .survives = {}});
    }
    if (bytes == 0) {
      return;
    }
    const bool stays = home_ == home::host;
    if (stays) {
      auto& budget = options.budget != nullptr ? *options.budget : pin_budget::process();
      share_ = budget.reserve(bytes, asked);
      require_fits_memory(bytes, asked);
    }
    auto& driver = where.backend();
    void* memory = nullptr;
    platform::require(
        driver,
        driver.allocate_managed(
            bytes, stays ? platform::managed_home::host : platform::managed_home::migrating,
            &memory),
        asked);
    memory_ = resource(driver, memory, &platform::backend::free_managed, "free managed memory");
    host_ = on_device_ = static_cast<std::byte*>(memory);
    if (stays) {
      page_touch(where, host_, bytes).join_in({});
    }
  }

 protected:
  void move_to_device(const stream_ref& work, std::size_t first, std::size_t count) override {
    move_ahead(work, first, count, platform::copy_way::to_device);
  }
  void move_to_host(const stream_ref& work, std::size_t first, std::size_t count) override {
    move_ahead(work, first, count, platform::copy_way::to_host);
  }
  bool release() noexcept override { return memory_.release(); }

 private:
  void move_ahead(const stream_ref& work, std::size_t first, std::size_t count,
                  platform::copy_way way) {
    if (home_ == home::host) {
      return;
    }
    auto& driver = device_.backend();
    const auto result = driver.prefetch(host_ + first, count, way, work.native());
    if (!result.ok()) {
      platform::require(driver, result,
                        "move " + format_bytes(count) + " of a managed buffer on " + device_.id());
    }
  }

  pinhole::home home_;
  pin_budget::reservation share_;  // given back after the memory is
  resource memory_;
};

}  // namespace

storage_handle make_managed(const device& where, std::size_t bytes,
                            const managed_options& options) {
  where.state().retired.collect();
  return storage_handle(new managed_storage(where, bytes, options));
}

}  // namespace pinhole::detail
