// Checks a launch before it crosses the boundary.
#include "pinhole/platform/launch.hpp"

#include <string>

#include "platform/platform.hpp"

namespace pinhole {

void launch(const stream_ref& work, const launch_request& what) {
  auto& driver = work.where().backend();
  const auto asked = [&] {
    return std::string("launch ") + what.name + " on " + work.where().id();
  };
  if (what.blocks == 0 || what.threads == 0) {
    detail::reject(asked(), "blocks and threads must be at least 1");
  }
  const bool has_code = driver.kind() == device_kind::cpu ? static_cast<bool>(what.cpu_block)
                                                          : what.cuda_kernel != nullptr;
  if (!has_code) {
    throw error({.kind = fault::not_supported,
                 .asked = asked(),
                 .call = {},
                 .status = driver.kind() == device_kind::cpu
                               ? "the request has no code for the CPU device"
                               : "the request has no kernel for CUDA",
                 .remedy = "set launch_request::cpu_block and cuda_kernel",
                 .sticky = false,
                 .survives = {}});
  }
  const auto result = driver.launch(what, work.native());
  if (!result.ok()) {
    platform::require(driver, result, asked());
  }
}

}  // namespace pinhole
