// Host memory and device memory, and copies between them.
#include <cstdlib>
#include <string>
#include <utility>

#include "memory/resource.hpp"
#include "pinhole/memory/pin_budget.hpp"
#include "pinhole/memory/staged_buffer.hpp"
#include "platform/device_state.hpp"

namespace pinhole::detail {

namespace {

std::string asked_for(const device& where, std::size_t bytes) {
  return "allocate " + format_bytes(bytes) + " of staged memory on " + where.id();
}

class staged_storage final : public storage {
 public:
  staged_storage(const device& where, std::size_t bytes, const staged_options& options)
      : storage(where, placement::staged, bytes) {
    if (bytes == 0) {
      return;
    }
    const auto asked = asked_for(where, bytes);
    make_host_half(options, asked);
    auto& driver = where.backend();
    void* memory = nullptr;
    platform::require(driver, driver.allocate_device(bytes, &memory), asked);
    device_half_ = resource(driver, memory, &platform::backend::free_device, "free device memory");
    on_device_ = static_cast<std::byte*>(memory);
  }

 protected:
  void move_to_device(const stream_ref& work, std::size_t first, std::size_t count) override {
    copy(work, on_device_ + first, host_ + first, count, platform::copy_way::to_device);
  }
  void move_to_host(const stream_ref& work, std::size_t first, std::size_t count) override {
    copy(work, host_ + first, on_device_ + first, count, platform::copy_way::to_host);
  }
  bool release() noexcept override {
    const bool pinned_gone = pinned_half_.release();
    const bool device_gone = device_half_.release();
    return pinned_gone && device_gone;
  }

 private:
  void make_host_half(const staged_options& options, const std::string& asked) {
    if (options.host == host_memory::pageable) {
      pageable_half_.reset(static_cast<std::byte*>(std::malloc(bytes_)));
      host_ = pageable_half_.get();
      if (host_ == nullptr) {
        throw platform::to_error({platform::outcome::out_of_memory, "malloc", "no memory"}, asked);
      }
      return;
    }
    share_ = pin_budget::process().reserve(bytes_, asked);
    auto& driver = device_.backend();
    void* host = nullptr;
    void* unused = nullptr;
    platform::require(driver, driver.allocate_host(bytes_, {}, &host, &unused), asked);
    pinned_half_ = resource(driver, host, &platform::backend::free_host, "free pinned memory");
    host_ = static_cast<std::byte*>(host);
  }

  void copy(const stream_ref& work, void* to, const void* from, std::size_t count,
            platform::copy_way way) {
    auto& driver = device_.backend();
    const auto result = driver.copy_async(to, from, count, way, work.native());
    if (!result.ok()) {
      platform::require(driver, result,
                        "copy " + format_bytes(count) + " of a staged buffer on " + device_.id());
    }
  }

  struct free_memory {
    void operator()(std::byte* memory) const noexcept { std::free(memory); }
  };
  pin_budget::reservation share_;  // first: given back after the memory is
  std::unique_ptr<std::byte, free_memory> pageable_half_;
  resource pinned_half_;
  resource device_half_;
};

}  // namespace

storage_handle make_staged(const device& where, std::size_t bytes, const staged_options& options) {
  where.state().retired.collect();
  return storage_handle(new staged_storage(where, bytes, options));
}

}  // namespace pinhole::detail
