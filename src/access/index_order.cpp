// Launches the parting of a list, and does it on the CPU device.
#include "pinhole/access/index_order.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "access/device_scratch.hpp"
#include "access/index_list.hpp"
#include "access/order_kernels.hpp"
#include "pinhole/core/error.hpp"
#include "pinhole/core/units.hpp"
#include "pinhole/platform/launch.hpp"
#include "pinhole/platform/listed_kernel.hpp"
#include "platform/platform.hpp"

namespace pinhole {

namespace {

using detail::order_work;

#if defined(PINHOLE_CPU_ONLY)
constexpr const void* kernels[3] = {};
#else
// Listed, so that they can be launched while a resident kernel runs.
const detail::listed_kernel listed[] = {detail::listed_kernel(detail::count_kernel()),
                                        detail::listed_kernel(detail::add_up_kernel()),
                                        detail::listed_kernel(detail::place_kernel())};
const void* const kernels[3] = {listed[0].cuda_kernel(), listed[1].cuda_kernel(),
                                listed[2].cuda_kernel()};
#endif

constexpr std::size_t counts_bytes =
    std::size_t{detail::most_windows} * detail::most_order_blocks * sizeof(std::uint32_t);

/// What the three kernels do, by one thread: a counting sort, which keeps the order in a window.
void arrange_on_cpu(const order_work& work) {
  const auto window_of = [&](std::uint64_t index) {
    return std::min(index / work.rows_per_window, work.windows - 1);
  };
  std::fill_n(work.counts, work.windows + 1, 0U);
  for (std::uint64_t i = 0; i < work.what.count; ++i) {
    ++work.counts[window_of(detail::index_at(work.what, i)) + 1];
  }
  for (std::uint64_t window = 0; window < work.windows; ++window) {
    work.counts[window + 1] += work.counts[window];
  }
  for (std::uint64_t i = 0; i < work.what.count; ++i) {
    const auto index = detail::index_at(work.what, i);
    const auto place = work.counts[window_of(index)]++;
    work.ordered[place] = index;
    work.positions[place] = static_cast<std::uint32_t>(i);
  }
}

std::size_t scratch_bytes(std::size_t most) {
  constexpr std::size_t each = sizeof(std::uint64_t) + sizeof(std::uint32_t);
  if (most > std::numeric_limits<std::uint32_t>::max()) {
    detail::reject("put indices in order", std::to_string(most) + " are more than 2^32 - 1");
  }
  return most * each + counts_bytes;
}

}  // namespace

index_order::index_order(const device& where, std::size_t most)
    : where_(where),
      most_(most),
      scratch_(std::make_unique<detail::device_scratch>(where, scratch_bytes(most),
                                                        "to put indices in order")) {}

index_order::index_order(index_order&& other) noexcept = default;

index_order& index_order::operator=(index_order&& other) noexcept {
  std::swap(where_, other.where_);
  std::swap(most_, other.most_);
  std::swap(scratch_, other.scratch_);
  return *this;
}

index_order::~index_order() {
  detail::retire_scratch(where_, std::move(scratch_));
}

void index_order::arrange(const stream_ref& work, detail::row_copy& what) {
  const std::string asked = "put indices in order";
  if (!scratch_ || work.where() != where_) {
    detail::reject(asked, scratch_ ? "the order belongs to " + where_.id() +
                                         ", and the stream to " + work.where().id()
                                   : "the order was moved from");
  }
  if (what.count > most_) {
    detail::reject(asked, "there are " + std::to_string(what.count) + ", and room for " +
                              std::to_string(most_));
  }
  const auto& numbers = where_.tuning();
  const auto bytes = what.rows * what.pitch;
  const auto windows = std::clamp<std::uint64_t>(
      bytes / std::max<std::size_t>(1, numbers.window_bytes), 1, detail::most_windows);
  if (bytes < numbers.window_from_bytes || windows == 1) {
    return;
  }
  order_work arranged{.what = what,
                      .rows_per_window = (what.rows + windows - 1) / windows,
                      .windows = windows,
                      .counts = nullptr,
                      .ordered = reinterpret_cast<std::uint64_t*>(scratch_->data()),
                      .positions = nullptr,
                      .blocks = static_cast<unsigned>(std::clamp<std::uint64_t>(
                          what.count / 4096, 1, detail::most_order_blocks))};
  arranged.positions = reinterpret_cast<std::uint32_t*>(arranged.ordered + most_);
  arranged.counts = arranged.positions + most_;
  const bool is_on_cpu = where_.kind() == device_kind::cpu;
  for (std::size_t step = 0; step < (is_on_cpu ? 1 : 3); ++step) {
    void* arguments[] = {&arranged};
    launch_request request;
    request.name = "index_order";
    request.cuda_kernel = kernels[step];
    request.blocks = is_on_cpu || step == 1 ? 1 : arranged.blocks;
    request.threads = detail::order_threads;
    request.arguments = arguments;
    if (is_on_cpu) {
      request.cpu_block = [arranged](unsigned, unsigned) { arrange_on_cpu(arranged); };
    }
    launch(work, request);
  }
  used_by(work);
  what.ordered = arranged.ordered;
  what.positions = arranged.positions;
}

void index_order::used_by(const stream_ref& work) {
  auto& driver = where_.backend();
  platform::require(driver, driver.record_event(scratch_->mark.native, work.native()),
                    "put indices in order");
}

}  // namespace pinhole
