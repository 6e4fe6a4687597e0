// Names an errno without asking the locale.
#include "platform/linux/system_error.hpp"

#include <cstring>
#include <utility>

namespace pinhole::platform {

error system_error(std::string asked, const char* call, int number, std::string remedy) {
  const char* const name = strerrorname_np(number);
  const char* const meaning = strerrordesc_np(number);
  std::string status = name != nullptr ? name : "errno " + std::to_string(number);
  if (meaning != nullptr) {
    status += std::string(" (") + meaning + ")";
  }
  return error({.kind = fault::io,
                .asked = std::move(asked),
                .call = call,
                .status = std::move(status),
                .remedy = std::move(remedy),
                .sticky = false,
                .survives = {}});
}

}  // namespace pinhole::platform
