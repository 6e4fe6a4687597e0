// What the handles of a device share.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "pinhole/core/tuning.hpp"
#include "pinhole/platform/capabilities.hpp"
#include "pinhole/platform/listed_kernel.hpp"
#include "pinhole/platform/retire_list.hpp"
#include "platform/platform.hpp"

namespace pinhole::detail {

/// Memory that a layer above keeps with the device for later requests.
class spare_memory {
 public:
  virtual ~spare_memory() = default;
  virtual void release_spares() noexcept = 0;
};

struct device_state {
  std::shared_ptr<platform::backend> driver;
  std::string id;
  std::string name;
  pinhole::tuning numbers;
  std::mutex vram_mutex;  // guards the pointer
  std::unique_ptr<spare_memory> vram;
  retire_list retired;                                // after what it returns memory to
  std::atomic<const listed_kernel*> loaded{nullptr};  // this kernel and those listed before

  std::mutex describing;
  std::atomic<bool> described{false};  // `facts` are complete and do not change any more
  pinhole::capabilities facts;
};

}  // namespace pinhole::detail
