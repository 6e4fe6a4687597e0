// The one instruction for it, where the CPU has it.
#include "platform/direct_store.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace pinhole::platform {

#if defined(__x86_64__)

bool can_store_directly() noexcept {
  static const bool has_movdir64b = [] {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (c >> 28U & 1U) != 0;
  }();
  return has_movdir64b;
}

__attribute__((target("movdir64b"))) void store_directly(void* line, const void* from) noexcept {
  _movdir64b(line, from);
}

#else

bool can_store_directly() noexcept {
  return false;
}

void store_directly(void* /*line*/, const void* /*from*/) noexcept {}

#endif

}  // namespace pinhole::platform
