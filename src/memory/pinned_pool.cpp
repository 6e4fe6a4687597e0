// The handle of a pool, and buffers whose memory comes from one.
#include "pinhole/memory/pinned_pool.hpp"

#include <utility>

#include "memory/pool_core.hpp"
#include "platform/device_state.hpp"

namespace pinhole {

pinned_pool::pinned_pool(const device& where, const pool_options& options)
    : core_(std::make_shared<detail::pool_core>(where, options)) {}

void* pinned_pool::allocate(std::size_t bytes, std::size_t alignment) const {
  return core_->allocate(bytes, alignment);
}
void pinned_pool::deallocate(void* memory) const noexcept {
  if (memory != nullptr) {
    core_->give_back(memory);
  }
}
void pinned_pool::deallocate(void* memory, const stream_ref& work) const {
  if (memory != nullptr) {
    core_->give_back_after(memory, work);
  }
}
void* pinned_pool::device_address(const void* memory) const {
  return core_->device_address(memory);
}
std::size_t pinned_pool::trim() const {
  return core_->trim();
}
pool_statistics pinned_pool::statistics() const {
  return core_->statistics();
}
const device& pinned_pool::where() const noexcept {
  return core_->where();
}

namespace detail {

namespace {

class pooled_storage final : public storage {
 public:
  pooled_storage(std::shared_ptr<pool_core> from, std::size_t bytes)
      : storage(from->where(), placement::mapped, bytes), from_(std::move(from)) {
    if (bytes > 0) {
      host_ = static_cast<std::byte*>(from_->allocate(bytes, alignof(std::max_align_t)));
      on_device_ = from_->device_address(host_);
    }
  }

 protected:
  bool release() noexcept override {
    if (host_ != nullptr) {
      from_->give_back(std::exchange(host_, nullptr));
    }
    return true;
  }

 private:
  std::shared_ptr<pool_core> from_;
};

}  // namespace

storage_handle make_pooled(const pinned_pool& from, std::size_t bytes) {
  from.where().state().retired.collect();
  return storage_handle(new pooled_storage(from.core_, bytes));
}

}  // namespace detail
}  // namespace pinhole
