// Pinned host memory that the device reaches, and the choice of a placement at run time.
#include <string>
#include <utility>

#include "memory/resource.hpp"
#include "pinhole/memory/any_buffer.hpp"
#include "pinhole/memory/pin_budget.hpp"
#include "platform/device_state.hpp"

namespace pinhole::detail {

namespace {

class mapped_storage final : public storage {
 public:
  mapped_storage(const device& where, std::size_t bytes, const mapped_options& options)
      : storage(where, placement::mapped, bytes) {
    const auto asked = "allocate " + format_bytes(bytes) + " of mapped memory on " + where.id();
    if (const auto& able = where.capabilities().map_host_memory; !able) {
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
    share_ = pin_budget::process().reserve(bytes, asked);
    auto& driver = where.backend();
    const platform::host_flags flags{
        .write_combined = options.caching == host_caching::write_combined,
        .portable = options.visible_to == visibility::all_devices};
    void* host = nullptr;
    void* on_device = nullptr;
    platform::require(driver, driver.allocate_host(bytes, flags, &host, &on_device), asked);
    memory_ = resource(driver, host, &platform::backend::free_host, "free mapped memory");
    host_ = static_cast<std::byte*>(host);
    on_device_ = static_cast<std::byte*>(on_device);
  }

 protected:
  bool release() noexcept override { return memory_.release(); }

 private:
  pin_budget::reservation share_;  // first: given back after the memory is
  resource memory_;
};

}  // namespace

storage_handle make_mapped(const device& where, std::size_t bytes, const mapped_options& options) {
  where.state().retired.collect();
  return storage_handle(new mapped_storage(where, bytes, options));
}

storage_handle make_storage(const device& where, std::size_t bytes, placement how) {
  switch (how) {
    case placement::staged:
      return make_staged(where, bytes, {});
    case placement::mapped:
      return make_mapped(where, bytes, {});
    case placement::registered:
      return make_owned_registered(where, bytes);
    case placement::vram:
      return make_vram(where, bytes, {});
  }
  reject("make a buffer", "the placement is none of the enumeration");
}

}  // namespace pinhole::detail
