// How a host thread waits for a signal.
#pragma once

namespace pinhole {

/// What a waiting host thread does between two looks at the word that it waits for. Whatever it is,
/// it looks at the clock and at the kernel's stream now and then, so that a deadline is kept and a
/// kernel that died is noticed.
enum class wait_policy {
  spin,             ///< nothing: lowest latency, one core kept busy
  spin_then_yield,  ///< spins for tuning.spin, then lets other threads run
  block,            ///< sleeps, 50 us at a time: for waits of milliseconds and more
};
// On the CPU device, where the other side needs a core too, `spin` yields as well.

}  // namespace pinhole
