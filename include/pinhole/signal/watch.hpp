// How a kernel that stays notices that it must end.
#pragma once

#include <cstdint>

#include "pinhole/core/config.hpp"
#include "pinhole/signal/words.hpp"

#if !defined(__CUDA_ARCH__)
#include <thread>
#endif

namespace pinhole::kernel {

/// Why a resident kernel ended; what it tells the host.
enum class ending : std::uint64_t {
  none = 0,      ///< it runs
  returned,      ///< by itself: its work was done
  stopped,       ///< stop() asked it to
  host_is_gone,  ///< the heartbeat stood still for longer than its limit
  lifetime_over  ///< resident_options::lifetime has passed
};

/// What a resident kernel tells the host, each word once.
struct life_signs {
  std::uint64_t runs = 0;   ///< 1: its first block has started
  std::uint64_t ended = 0;  ///< an `ending`
};

/// What a resident kernel is told at its start. The host's word counts up while the host is alive,
/// and is `stop` when the kernel is to end: one word, one writer, one look.
struct life_line {
  static constexpr std::uint64_t stop = ~std::uint64_t{0};

  words::polled host;                 ///< written by the host
  life_signs* signs = nullptr;        ///< written by the kernel, in host memory
  std::uint64_t heartbeat_limit = 0;  ///< in ns
  std::uint64_t lifetime = 0;         ///< in ns; 0: no limit
};

/// One for each thread that polls. Costs a counter per poll; the host's word and the clock are read
/// at every 64th. Not for sharing between threads.
class watch {
 public:
  PINHOLE_HD explicit watch(const life_line& line) noexcept
      : line_(line), started_(words::now_ns()), alive_at_(started_) {}

  /// Call it once for each poll, whether or not the poll found anything. True from the first look
  /// on at which the kernel must end. What the host signalled before it called stop() is there for
  /// the next poll after this has returned true.
  PINHOLE_HD bool should_end() noexcept {
    if (give_way() || ++polls_ % polls_per_look == 0) {
      look();
    }
    return why_ != ending::none;
  }
  /// Tells that a poll found something. Only the CPU device minds: there, idle threads yield.
  PINHOLE_HD void found() noexcept { idle_ = 0; }

  [[nodiscard]] PINHOLE_HD ending why() const noexcept { return why_; }
  [[nodiscard]] PINHOLE_HD const life_line& line() const noexcept { return line_; }

 private:
  static constexpr unsigned polls_per_look = 64;

  PINHOLE_HD void look() noexcept {
    const std::uint64_t told = line_.host.look();
    const std::uint64_t now = words::now_ns();
    if (told == life_line::stop) {
      words::acquire();
      why_ = ending::stopped;
    } else if (told != told_) {
      told_ = told;
      alive_at_ = now;
    } else if (now - alive_at_ > line_.heartbeat_limit) {
      why_ = ending::host_is_gone;
    }
    if (line_.lifetime != 0 && now - started_ > line_.lifetime && why_ == ending::none) {
      why_ = ending::lifetime_over;
    }
  }

  /// On the CPU device, where the host needs a core too, an idle thread yields. True when it did:
  /// that took so long that a look costs nothing.
  PINHOLE_HD bool give_way() noexcept {
#if !defined(__CUDA_ARCH__)
    constexpr unsigned spins = 256;
    if (++idle_ > spins) {
      std::this_thread::yield();
      return true;
    }
#endif
    return false;
  }

  life_line line_;
  std::uint64_t started_;
  std::uint64_t alive_at_;
  std::uint64_t told_ = 0;
  unsigned polls_ = 0;
  unsigned idle_ = 0;
  ending why_ = ending::none;
};

}  // namespace pinhole::kernel
