// Queues so many copies that they outlast what is timed.
#include "advice/other_traffic.hpp"

#include <algorithm>
#include <chrono>

#include "pinhole/core/units.hpp"

namespace pinhole::advice {

namespace {

constexpr std::chrono::seconds patience{60};
/// More would fill the driver's queue, and then queueing waits for the copies.
constexpr std::size_t most_copies = 256;

}  // namespace

other_traffic::other_traffic(const device& where)
    : piece_(where.kind() == device_kind::cpu ? 256_KiB : 16_MiB),
      goes_both_ways_(where.kind() != device_kind::cpu),
      up_(where),
      down_(where),
      to_device_(where, 4 * piece_),
      to_host_(where, goes_both_ways_ ? 4 * piece_ : 0) {}

void other_traffic::begin(double us, double gb_per_s) {
  end();
  const double bytes = us * gb_per_s * 1e3;
  const auto pieces = static_cast<std::size_t>(bytes / static_cast<double>(piece_)) + 1;
  // What lasts very long is copied in larger pieces.
  const std::size_t size = pieces > most_copies ? to_device_.size() : piece_;
  const std::size_t copies = std::min(most_copies, pieces > most_copies ? pieces / 4 : pieces);
  for (std::size_t i = 0; i < copies; ++i) {
    to_device_.to_device(up_, 0, size);
    if (goes_both_ways_) {
      to_host_.to_host(down_, 0, size);
    }
  }
}

void other_traffic::end() {
  up_.wait(patience);
  down_.wait(patience);
}

}  // namespace pinhole::advice
