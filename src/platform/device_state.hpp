// What the handles of a device share.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "pinhole/core/tuning.hpp"
#include "pinhole/platform/capabilities.hpp"
#include "pinhole/platform/retire_list.hpp"
#include "platform/platform.hpp"

namespace pinhole::detail {

struct device_state {
  std::shared_ptr<platform::backend> driver;
  std::string id;
  std::string name;
  pinhole::tuning numbers;
  retire_list retired;

  std::once_flag described;  // guards `facts`
  pinhole::capabilities facts;
};

}  // namespace pinhole::detail
