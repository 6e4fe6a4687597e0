// The user's memory, pinned in place, and memory that somebody else has pinned.
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
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

/// A registration, and the buffers that share it.
struct pinned_range {
  device where;
  std::byte* first;
  std::size_t bytes;
  // Destroyed from the last to the first: unpinned, then forgotten, then no longer counted.
  pin_budget::reservation share;
  registration place;
  resource pin;
  std::byte* on_device = nullptr;

  [[nodiscard]] bool holds(const std::byte* at, std::size_t count) const noexcept {
    return at >= first && count <= bytes && static_cast<std::size_t>(at - first) <= bytes - count;
  }
};

/// Registrations that later buffers may share, by their first byte. All shared_ptrs to them are
/// made and given up under the mutex, so that use_count() means what it says. Lives until the
/// process ends.
struct shared_ranges {
  std::mutex mutex;
  std::map<const std::byte*, std::weak_ptr<pinned_range>, std::less<>> by_first;

  [[nodiscard]] std::shared_ptr<pinned_range> find(const device& where, const std::byte* at,
                                                   std::size_t count) {
    auto next = by_first.upper_bound(at);
    if (next == by_first.begin()) {
      return nullptr;
    }
    auto found = std::prev(next)->second.lock();
    return found && found->where == where && found->holds(at, count) ? found : nullptr;
  }
};

shared_ranges& counted() noexcept {
  static auto* const made = new shared_ranges;
  return *made;
}

class registered_storage final : public storage {
 public:
  registered_storage(const device& where, void* first, std::size_t bytes,
                     const registered_options& options)
      : storage(where, placement::registered, bytes),
        is_counted_(options.again == repeated::counted) {
    if (!is_counted_ || bytes == 0) {
      pin(first, options.budget);
      return;
    }
    const std::lock_guard lock(counted().mutex);
    auto* const at = static_cast<std::byte*>(first);
    pinned_ = counted().find(where, at, bytes);
    if (pinned_) {
      host_ = at;
      on_device_ = pinned_->on_device + (at - pinned_->first);
      return;
    }
    pin(first, options.budget);
    counted().by_first[at] = pinned_;
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
    pin(own_.get(), nullptr);
  }

 protected:
  bool release() noexcept override {
    std::unique_lock lock(counted().mutex, std::defer_lock);
    if (is_counted_) {
      lock.lock();
    }
    if (pinned_ && pinned_.use_count() == 1) {
      if (!pinned_->pin.release()) {
        return false;
      }
      if (is_counted_) {
        counted().by_first.erase(pinned_->first);
      }
    }
    pinned_.reset();
    return true;
  }

 private:
  void pin(void* first, pin_budget* budget) {
    if (bytes_ == 0) {
      return;
    }
    const auto asked = "register " + range_text(first, bytes_) + " on " + device_.id();
    check_address(first, bytes_, asked);
    auto made = std::make_shared<pinned_range>(
        pinned_range{device_, static_cast<std::byte*>(first), bytes_, {}, {}, {}, nullptr});
    made->place = registration(first, bytes_, asked);
    refuse_what_is_not_plain(device_, static_cast<std::byte*>(first), bytes_, asked);
    made->share = (budget != nullptr ? *budget : pin_budget::process())
                      .reserve(platform::page_bytes(first, bytes_), asked);
    auto& driver = device_.backend();
    void* on_device = nullptr;
    const auto result = driver.register_host(first, bytes_, &on_device);
    if (!result.ok()) {
      driver.clear_last_error();
      explain(result, first, bytes_, asked);
      throw platform::to_error(result, asked);
    }
    made->pin = resource(driver, first, &platform::backend::unregister_host, "unregister memory");
    host_ = static_cast<std::byte*>(first);
    on_device_ = made->on_device = static_cast<std::byte*>(on_device);
    pinned_ = std::move(made);
  }

  struct free_memory {
    void operator()(std::byte* memory) const noexcept { std::free(memory); }
  };
  bool is_counted_ = false;
  std::unique_ptr<std::byte, free_memory> own_;  // given back after it was unpinned
  std::shared_ptr<pinned_range> pinned_;
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

storage_handle make_registered(const device& where, void* first, std::size_t bytes,
                               const registered_options& options) {
  where.state().retired.collect();
  return storage_handle(new registered_storage(where, first, bytes, options));
}

storage_handle make_owned_registered(const device& where, std::size_t bytes) {
  where.state().retired.collect();
  return storage_handle(new registered_storage(where, bytes));
}

storage_handle make_adopted(const device& where, void* first, std::size_t bytes) {
  return storage_handle(new adopted_storage(where, first, bytes));
}

}  // namespace pinhole::detail
