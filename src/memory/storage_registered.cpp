// The user's memory, pinned in place, and memory that somebody else has pinned.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>

#include "memory/registrations.hpp"
#include "memory/resource.hpp"
#include "pinhole/memory/pin_budget.hpp"
#include "pinhole/memory/pinned_view.hpp"
#include "pinhole/memory/registered_buffer.hpp"
#include "platform/device_state.hpp"
#include "platform/linux/host_memory.hpp"

namespace pinhole::detail {

namespace {

constexpr const char* adopt_hint = "use pinned_view to work with it, or register it only once";

/// The bytes of all pages that hold a byte of the range: what pinning it costs.
std::size_t page_bytes(const void* first, std::size_t bytes) {
  const std::size_t page = platform::page_size();
  const auto low = reinterpret_cast<std::uintptr_t>(first) / page;
  const auto high = (reinterpret_cast<std::uintptr_t>(first) + bytes - 1) / page;
  return (high - low + 1) * page;
}

void check_address(const void* first, std::size_t bytes, const std::string& asked) {
  if (first == nullptr) {
    reject(asked, "the address is null");
  }
  if (reinterpret_cast<std::uintptr_t>(first) > UINTPTR_MAX - bytes) {
    reject(asked, "the range wraps around the end of the address space");
  }
}

platform::address_facts facts_of(const device& where, const void* address,
                                 const std::string& asked) {
  platform::address_facts facts;
  auto& driver = where.backend();
  platform::require(driver, driver.classify(address, facts), asked);
  return facts;
}

void refuse_what_is_not_plain(const device& where, const std::byte* first, std::size_t bytes,
                              const std::string& asked) {
  for (const auto* end : {first, first + bytes - 1}) {
    switch (facts_of(where, end, asked).kind) {
      case platform::memory_kind::device:
        reject(asked, "it is device memory, which kernels reach as it is");
      case platform::memory_kind::managed:
        reject(asked, "it is managed memory, which kernels reach as it is");
      case platform::memory_kind::pinned_host:
        throw error({.kind = fault::already_registered,
                     .asked = asked,
                     .call = {},
                     .status = "(part of) it is pinned already, by another library or an "
                               "allocation of pinned memory",
                     .remedy = adopt_hint,
                     .sticky = false,
                     .survives = {}});
      case platform::memory_kind::unknown:
        break;
    }
  }
}

/// After a refused registration: says what the driver does not.
void explain(const platform::status& result, const void* first, std::size_t bytes,
             const std::string& asked) {
  if (result.what == platform::outcome::already_registered) {
    throw error({.kind = fault::already_registered,
                 .asked = asked,
                 .call = result.call,
                 .status = std::string(result.name) + ": another library has registered part of it",
                 .remedy = adopt_hint,
                 .sticky = false,
                 .survives = {}});
  }
  switch (platform::access_of(first, bytes)) {
    case platform::page_access::not_mapped:
      reject(asked, "a part of it is no memory of this process");
    case platform::page_access::none:
      reject(asked, "a part of it may be neither read nor written (guard pages?)");
    case platform::page_access::read_only:
      reject(asked, "a part of it may only be read, and the device could write");
    default:
      break;
  }
}

class registered_storage final : public storage {
 public:
  registered_storage(const device& where, void* first, std::size_t bytes)
      : storage(where, placement::registered, bytes) {
    pin(first);
  }
  /// Registers memory of its own.
  registered_storage(const device& where, std::size_t bytes)
      : storage(where, placement::registered, bytes) {
    const std::size_t page = platform::page_size();
    if (bytes > 0) {
      if (bytes <= SIZE_MAX - page) {
        own_.reset(
            static_cast<std::byte*>(std::aligned_alloc(page, (bytes + page - 1) / page * page)));
      }
      if (!own_) {
        throw platform::to_error({platform::outcome::out_of_memory, "aligned_alloc", "no memory"},
                                 "allocate " + format_bytes(bytes));
      }
    }
    pin(own_.get());
  }

 protected:
  bool release() noexcept override {
    if (!pin_.release()) {
      return false;
    }
    place_ = {};
    return true;
  }

 private:
  void pin(void* first) {
    if (bytes_ == 0) {
      return;
    }
    const auto asked = "register " + range_text(first, bytes_) + " on " + device_.id();
    check_address(first, bytes_, asked);
    place_ = registration(first, bytes_, asked);
    refuse_what_is_not_plain(device_, static_cast<std::byte*>(first), bytes_, asked);
    share_ = pin_budget::process().reserve(page_bytes(first, bytes_), asked);
    auto& driver = device_.backend();
    void* on_device = nullptr;
    const auto result = driver.register_host(first, bytes_, &on_device);
    if (!result.ok()) {
      driver.clear_last_error();
      explain(result, first, bytes_, asked);
      throw platform::to_error(result, asked);
    }
    pin_ = resource(driver, first, &platform::backend::unregister_host, "unregister memory");
    host_ = static_cast<std::byte*>(first);
    on_device_ = static_cast<std::byte*>(on_device);
  }

  struct free_memory {
    void operator()(std::byte* memory) const noexcept { std::free(memory); }
  };
  // Destroyed from the last to the first: unpinned, then forgotten, then given back.
  std::unique_ptr<std::byte, free_memory> own_;
  pin_budget::reservation share_;
  registration place_;
  resource pin_;
};

class adopted_storage final : public storage {
 public:
  adopted_storage(const device& where, void* first, std::size_t bytes)
      : storage(where, placement::registered, bytes) {
    if (bytes == 0) {
      return;
    }
    const auto asked = "adopt " + range_text(first, bytes) + " on " + where.id();
    check_address(first, bytes, asked);
    const auto low = facts_of(where, first, asked);
    const auto high = facts_of(where, static_cast<std::byte*>(first) + bytes - 1, asked);
    for (const auto& facts : {low, high}) {
      if (facts.kind == platform::memory_kind::device) {
        reject(asked, "it is device memory, which the host cannot reach");
      }
      if (facts.kind != platform::memory_kind::pinned_host || facts.on_device == nullptr) {
        reject(asked, "it is not pinned and mapped; use registered_buffer to pin it");
      }
    }
    host_ = static_cast<std::byte*>(first);
    on_device_ = static_cast<std::byte*>(low.on_device);
  }

 protected:
  bool release() noexcept override { return true; }
};

}  // namespace

storage_handle make_registered(const device& where, void* first, std::size_t bytes) {
  where.state().retired.collect();
  return storage_handle(new registered_storage(where, first, bytes));
}

storage_handle make_owned_registered(const device& where, std::size_t bytes) {
  where.state().retired.collect();
  return storage_handle(new registered_storage(where, bytes));
}

storage_handle make_adopted(const device& where, void* first, std::size_t bytes) {
  return storage_handle(new adopted_storage(where, first, bytes));
}

}  // namespace pinhole::detail
