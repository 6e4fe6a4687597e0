// Pages that are registered while threads make them.
#include "memory/pinned_block.hpp"

#include <algorithm>
#include <utility>

#include "memory/page_touch.hpp"
#include "pinhole/core/units.hpp"
#include "platform/linux/mapping.hpp"

namespace pinhole::detail {

namespace {

/// What one registration covers at most: drivers count pages in 32 bits and less.
constexpr std::size_t most_at_once = 64_GiB;

[[noreturn]] void throw_cancelled(const std::string& asked) {
  throw error({.kind = fault::cancelled,
               .asked = asked,
               .call = {},
               .status = "the progress function said no",
               .remedy = {},
               .sticky = false,
               .survives = {}});
}

}  // namespace

void require_mapping(const device& where, const std::string& asked) {
  if (const auto& able = where.capabilities().map_host_memory; !able) {
    throw error({.kind = fault::not_supported,
                 .asked = asked,
                 .call = {},
                 .status = able.reason,
                 .remedy = able.remedy,
                 .sticky = false,
                 .survives = {}});
  }
}

pinned_block::own_pages::own_pages(std::size_t bytes)
    : data_(static_cast<std::byte*>(platform::map_own_pages(bytes))), bytes_(bytes) {}

pinned_block::own_pages::own_pages(own_pages&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}

pinned_block::own_pages& pinned_block::own_pages::operator=(own_pages&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

pinned_block::own_pages::~own_pages() {
  if (data_ != nullptr) {
    platform::unmap(data_, bytes_);
  }
}

pinned_block::pinned_block(const device& where, std::size_t bytes, const mapped_options& options,
                           const std::string& asked) {
  auto& budget = options.budget != nullptr ? *options.budget : pin_budget::process();
  share_ = budget.reserve(bytes, asked);
  require_fits_memory(bytes, asked);
  const bool by_pages = bytes >= where.tuning().pin_pages_from &&
                        options.caching == host_caching::cached &&
                        where.capabilities().same_pointer_registered;
  if (by_pages) {
    pin_pages(where, bytes, options, asked);
  } else {
    ask_driver(where, bytes, options, asked);
  }
}

void pinned_block::ask_driver(const device& where, std::size_t bytes, const mapped_options& options,
                              const std::string& asked) {
  auto& driver = where.backend();
  const platform::host_flags flags{
      .write_combined = options.caching == host_caching::write_combined,
      .portable = options.visible_to == visibility::all_devices};
  void* host = nullptr;
  void* on_device = nullptr;
  platform::require(driver, driver.allocate_host(bytes, flags, &host, &on_device), asked);
  from_driver_ = resource(driver, host, &platform::backend::free_host, "free pinned memory");
  host_ = static_cast<std::byte*>(host);
  on_device_ = static_cast<std::byte*>(on_device);
}

void pinned_block::pin_pages(const device& where, std::size_t bytes, const mapped_options& options,
                             const std::string& asked) {
  pages_ = own_pages(bytes);
  if (pages_.data() == nullptr) {
    throw platform::to_error({platform::outcome::out_of_memory, "mmap", "no memory"}, asked);
  }
  page_touch touching(where, pages_.data(), bytes);
  // Who wants to follow waits for the pages first, since a registration cannot be cancelled.
  // Otherwise the driver walks over them while the threads stay ahead of it.
  if (options.progress && !touching.join_in(options.progress)) {
    throw_cancelled(asked);
  }
  auto& driver = where.backend();
  for (std::size_t done = 0; done < bytes; done += most_at_once) {
    void* on_device = nullptr;
    platform::require(driver,
                      driver.register_host(pages_.data() + done,
                                           std::min(most_at_once, bytes - done), &on_device),
                      asked);
    pins_.emplace_back(driver, pages_.data() + done, &platform::backend::unregister_host,
                       "unpin memory");
    on_device_ = done == 0 ? static_cast<std::byte*>(on_device) : on_device_;
  }
  host_ = pages_.data();
  if (options.progress && !options.progress(1)) {
    throw_cancelled(asked);
  }
}

bool pinned_block::release() noexcept {
  while (!pins_.empty()) {
    if (!pins_.back().release()) {
      return false;
    }
    pins_.pop_back();
  }
  if (!from_driver_.release()) {
    return false;
  }
  pages_ = {};
  return true;
}

}  // namespace pinhole::detail
