// A buffer, placed by advice in one line.
#pragma once

#include <cstddef>

#include "pinhole/advice/advise.hpp"
#include "pinhole/memory/any_buffer.hpp"

namespace pinhole {

namespace advice {
/// The profile that is kept for this device, or else one that is measured quickly now and kept, as
/// far as it can be. Read once in a process for each device; any thread may call it.
[[nodiscard]] const machine_profile& profile_of(const device& where);

/// The pattern with the bytes of `count` elements of `size`; throws where it states others.
[[nodiscard]] access_pattern sized(access_pattern pattern, std::size_t count, std::size_t size);
}  // namespace advice

/// `count` elements where advise() says that they are best for the pattern, whose `bytes` may be
/// left out. Throws what advise() and make_buffer() throw, and what calibrating throws.
template <class T>
[[nodiscard]] any_buffer<T> place(const device& where, std::size_t count,
                                  const access_pattern& pattern, const machine_profile& profile) {
  return make_buffer<T>(where, count,
                        advise(advice::sized(pattern, count, sizeof(T)), profile).placement);
}

/// The same by the profile that is kept for the device. The first call on a machine takes seconds,
/// as it calibrates.
template <class T>
[[nodiscard]] any_buffer<T> place(const device& where, std::size_t count,
                                  const access_pattern& pattern) {
  return place<T>(where, count, pattern, advice::profile_of(where));
}

}  // namespace pinhole
