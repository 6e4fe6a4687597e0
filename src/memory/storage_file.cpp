// The pages of a file, pinned where they are.
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "memory/pinned_block.hpp"
#include "memory/resource.hpp"
#include "pinhole/memory/mapped_file.hpp"
#include "pinhole/memory/pin_budget.hpp"
#include "platform/device_state.hpp"
#include "platform/linux/file_mapping.hpp"
#include "platform/linux/host_memory.hpp"

namespace pinhole::detail {

namespace {

platform::file_access access_for(file_form form) {
  switch (form) {
    case file_form::own_pages:
      return platform::file_access::private_writable;
    case file_form::shared:
      return platform::file_access::shared_writable;
    case file_form::read_only:
      break;
  }
  return platform::file_access::shared_read_only;
}

class file_storage final : public storage {
 public:
  file_storage(const device& where, platform::file_mapping file, const std::string& path,
               const file_options& options, file_form form)
      : storage(where, placement::registered, file.bytes()), file_(std::move(file)), form_(form) {
    if (bytes_ == 0) {
      return;
    }
    const auto asked = "pin the file " + path + " on " + where.id();
    if (!pin(asked, options)) {
      copy(asked, options);
    }
  }

 protected:
  void copy_out(std::size_t first, void* out, std::size_t count) const override {
    if (form_ == file_form::own_pages || placed_ != placement::registered) {
      std::memcpy(out, host_ + first, count);
    } else {
      file_.read(first, out, count);
    }
  }

  bool release() noexcept override { return pin_.release() && copy_.release(); }

 private:
  /// False when it cannot be done and a copy may be made instead.
  bool pin(const std::string& asked, const file_options& options) {
    const bool may_copy = options.otherwise == fallback::copy;
    const auto& able = device_.capabilities().register_read_only;
    const bool writable = form_ != file_form::read_only;
    if (!writable && !able) {
      if (may_copy) {
        return false;
      }
      throw error({.kind = fault::not_supported,
                   .asked = asked,
                   .call = {},
                   .status = able.reason,
                   .remedy = "use private_file, or fallback::copy",
                   .sticky = false,
                   .survives = {}});
    }
    auto& budget = options.budget != nullptr ? *options.budget : pin_budget::process();
    share_ = budget.reserve(platform::page_bytes(file_.data(), bytes_), asked);
    auto& driver = device_.backend();
    void* on_device = nullptr;
    const auto result = writable ? driver.register_host(file_.data(), bytes_, &on_device)
                                 : driver.register_read_only(file_.data(), bytes_, &on_device);
    if (!result.ok()) {
      driver.clear_last_error();
      share_ = {};
      const bool about_these_pages = result.what == platform::outcome::invalid_value ||
                                     result.what == platform::outcome::not_supported;
      if (may_copy && about_these_pages) {
        return false;
      }
      refuse(result, asked, about_these_pages);
    }
    pin_ = resource(driver, file_.data(), &platform::backend::unregister_host, "unpin a file");
    host_ = file_.data();
    on_device_ = static_cast<std::byte*>(on_device);
    return true;
  }

  [[noreturn]] static void refuse(const platform::status& result, const std::string& asked,
                                  bool about_these_pages) {
    if (!about_these_pages) {
      throw platform::to_error(result, asked);
    }
    throw error(
        {.kind = fault::not_supported,
         .asked = asked,
         .call = result.call,
         .status = std::string(result.name) + ": the driver cannot pin pages of this file system",
         .remedy = "use fallback::copy, or keep the file in memory (tmpfs)",
         .sticky = false,
         .survives = {}});
  }

  void copy(const std::string& asked, const file_options& options) {
    mapped_options how;
    how.budget = options.budget;
    copy_ = pinned_block(device_, bytes_, how, asked);
    file_.read(0, copy_.host(), bytes_);
    placed_ = placement::mapped;
    host_ = copy_.host();
    on_device_ = copy_.on_device();
  }

  // Destroyed from the last to the first: unpinned, no longer counted, closed.
  platform::file_mapping file_;
  file_form form_;
  pin_budget::reservation share_;
  resource pin_;
  pinned_block copy_;
};

}  // namespace

storage_handle make_mapped_file(const device& where, const std::string& path, std::size_t alignment,
                                const file_options& options, file_form form) {
  where.state().retired.collect();
  if (form == file_form::shared && options.otherwise == fallback::copy) {
    reject("share the file " + path, "fallback::copy was asked for, and a copy is not shared");
  }
  if (options.first_byte % alignment != 0) {
    reject("map the file " + path, "byte " + std::to_string(options.first_byte) +
                                       " is no place for elements that are aligned to " +
                                       std::to_string(alignment));
  }
  platform::file_mapping file(path, access_for(form), options.first_byte, options.bytes,
                              options.read_ahead);
  return storage_handle(new file_storage(where, std::move(file), path, options, form));
}

}  // namespace pinhole::detail
