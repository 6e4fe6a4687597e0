// Every way in which a buffer can come about, as values that tests go through.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "pinhole/memory/any_buffer.hpp"

namespace pinhole::test {

/// A buffer, and what it was made over: the user's memory, or the buffer that lends it. Destroyed
/// in the right order; to be moved from, never assigned.
struct made_buffer {
  std::shared_ptr<void> lender;
  any_buffer<int> buffer;
};

struct buffer_kind {
  std::string name;  ///< letters, digits and '_'
  placement placed;
  std::function<made_buffer(const device& where, std::size_t count)> make;
};
/// For GoogleTest.
inline void PrintTo(const buffer_kind& kind, std::ostream* out) {
  *out << kind.name;
}

/// Every typed buffer with each of its options, and make_buffer() over all_placements(), so that a
/// new placement is tested as soon as it has a name.
[[nodiscard]] std::vector<buffer_kind> buffer_kinds();

/// Why the device cannot have this kind, such as VRAM without a road to it; empty when it can.
[[nodiscard]] std::optional<std::string> why_not_supported(const buffer_kind& kind,
                                                           const device& where);

/// The whole way there and back: the host writes, the device adds, the host sees it. Reports
/// through GoogleTest.
void expect_round_trip(any_buffer<int>& buffer, const stream_ref& work);

}  // namespace pinhole::test
