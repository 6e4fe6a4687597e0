// Deadlines and policies of host waits.
#include "signal/host_wait.hpp"

#include <algorithm>
#include <thread>

#include "pinhole/core/error.hpp"
#include "pinhole/core/tuning.hpp"

namespace pinhole::detail {

host_wait::step host_wait::pause() {
  constexpr std::chrono::microseconds between_queries{15};
  const auto now = clock::now();
  if (start_ == clock::time_point{}) {
    start_ = now;
    next_query_ = between_queries;
  }
  waited_ = now - start_;
  if (waited_ >= limit_) {
    return step::out_of_time;
  }
  const bool shares_cores = where_.kind() == device_kind::cpu;
  if (policy_ == wait_policy::block) {
    std::this_thread::sleep_for(
        std::min<clock::duration>(std::chrono::microseconds(50), limit_ - waited_));
  } else if (shares_cores ||
             (policy_ == wait_policy::spin_then_yield && waited_ >= where_.tuning().spin)) {
    std::this_thread::yield();
  }
  if (waited_ < next_query_) {
    return step::look_again;
  }
  next_query_ = waited_ + between_queries;
  return step::look_at_kernel;
}

void host_wait::give_up(std::string asked, const std::string& seen, std::string remedy) const {
  throw error({.kind = fault::timed_out,
               .asked = std::move(asked),
               .call = {},
               .status = "the deadline of " + format_duration(limit_) + " has passed after " +
                         format_duration(waited_) + "; " + seen,
               .remedy = std::move(remedy),
               .sticky = false,
               .survives = {}});
}

}  // namespace pinhole::detail
