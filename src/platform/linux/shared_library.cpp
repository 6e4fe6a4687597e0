// dlopen without dlclose.
#include "platform/linux/shared_library.hpp"

#include <dlfcn.h>

namespace pinhole::platform {

shared_library::shared_library(const char* name) : handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
  if (handle_ == nullptr) {
    const char* const why = dlerror();
    problem_ = why != nullptr ? why : "dlopen failed";
  }
}

void* shared_library::address(const char* name) const noexcept {
  return handle_ != nullptr ? dlsym(handle_, name) : nullptr;
}

}  // namespace pinhole::platform
