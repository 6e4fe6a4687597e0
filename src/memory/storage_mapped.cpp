// Pinned host memory that the device reaches, and the choice of a placement at run time.
#include <string>

#include "memory/pinned_block.hpp"
#include "pinhole/memory/any_buffer.hpp"
#include "platform/device_state.hpp"

namespace pinhole::detail {

namespace {

class mapped_storage final : public storage {
 public:
  mapped_storage(const device& where, std::size_t bytes, const mapped_options& options)
      : storage(where, placement::mapped, bytes) {
    const auto asked = "allocate " + format_bytes(bytes) + " of mapped memory on " + where.id();
    require_mapping(where, asked);
    if (bytes > 0) {
      memory_ = pinned_block(where, bytes, options, asked);
      host_ = memory_.host();
      on_device_ = memory_.on_device();
    }
  }

 protected:
  bool release() noexcept override { return memory_.release(); }

 private:
  pinned_block memory_;
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
    case placement::managed:
      return make_managed(where, bytes, {});
    case placement::vram:
      return make_vram(where, bytes, {});
  }
  reject("make a buffer", "the placement is none of the enumeration");
}

}  // namespace pinhole::detail
