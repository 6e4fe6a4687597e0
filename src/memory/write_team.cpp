// One write at a time is cut into pieces, which whoever is awake takes.
#include "memory/write_team.hpp"

#include <algorithm>
#include <chrono>
#include <exception>

#include "memory/wc_copy.hpp"
#include "memory/wc_lines.hpp"
#include "platform/linux/host_memory.hpp"

namespace pinhole::detail {

namespace {

constexpr std::size_t piece_bytes = std::size_t{64} << 10U;  // 4 us of one core
constexpr auto look_out = std::chrono::microseconds(50);     // less than waking a thread may take

template <class Condition>
void spin_while(Condition&& holds) {
  const auto until = std::chrono::steady_clock::now() + look_out;
  while (holds() && std::chrono::steady_clock::now() < until) {
  }
}

}  // namespace

std::shared_ptr<write_team> write_team::with(unsigned threads) {
  static std::mutex mutex;
  static auto* const known = new std::weak_ptr<write_team>;  // outlives buffers of static storage
  const std::lock_guard lock(mutex);
  auto team = known->lock();
  if (!team || team->made_in_ != platform::fork_generation()) {
    team = std::make_shared<write_team>();
    team->made_in_ = platform::fork_generation();
    *known = team;
  }
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  team->grow(std::min({threads, most_threads, cores}) - 1);
  return team;
}

void write_team::grow(unsigned helpers) {
  const std::lock_guard lock(mutex_);
  while (helpers_.size() < helpers) {
    const auto number = static_cast<unsigned>(helpers_.size());
    helpers_.emplace_back([this, number] { help(number); });
  }
}

write_team::~write_team() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    round_.fetch_add(1, std::memory_order_relaxed);
  }
  start_.notify_all();
  for (auto& helper : helpers_) {
    helper.join();
  }
}

void write_team::work_on(job& now) noexcept {
  const auto pieces = 1 + (now.bytes - now.first_cut + piece_bytes - 1) / piece_bytes;
  const auto cut = [&](std::size_t piece) {
    return piece == 0 ? 0 : std::min(now.bytes, now.first_cut + (piece - 1) * piece_bytes);
  };
  for (auto piece = now.next.fetch_add(1, std::memory_order_relaxed); piece < pieces;
       piece = now.next.fetch_add(1, std::memory_order_relaxed)) {
    const auto first = cut(piece);
    wc_write(now.far + first, now.near + first, cut(piece + 1) - first);
  }
}

void write_team::write(std::byte* far, const std::byte* near, std::size_t bytes,
                       unsigned threads) noexcept {
  if (made_in_ != platform::fork_generation()) {
    wc_write(far, near, bytes);
    return;
  }
  job mine{far, near, bytes, head_of(far, bytes)};
  std::unique_lock lock(mutex_);
  if (job_ != nullptr) {
    lock.unlock();
    wc_write(far, near, bytes);
    return;
  }
  job_ = &mine;
  wanted_ = threads - 1;
  round_.fetch_add(1, std::memory_order_release);
  lock.unlock();
  start_.notify_all();
  work_on(mine);
  lock.lock();
  job_ = nullptr;  // a helper that wakes only now finds nothing to do
  lock.unlock();
  // The others are at their last pieces: sleeping would take longer than they do.
  spin_while([this] { return active_.load(std::memory_order_acquire) != 0; });
  lock.lock();
  done_.wait(lock, [this] { return active_.load(std::memory_order_relaxed) == 0; });
}

bool write_team::may_start(unsigned number, std::uint64_t seen) const noexcept {
  return closing_ ||
         (job_ != nullptr && number < wanted_ && round_.load(std::memory_order_relaxed) != seen);
}

void write_team::help(unsigned number) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    start_.wait(lock, [&] { return may_start(number, seen); });
    if (closing_) {
      return;
    }
    seen = round_.load(std::memory_order_relaxed);
    job& now = *job_;
    active_.fetch_add(1, std::memory_order_relaxed);
    lock.unlock();
    work_on(now);
    lock.lock();
    if (active_.fetch_sub(1, std::memory_order_release) == 1) {
      done_.notify_one();
    }
    lock.unlock();
    // Writes often come in rows: the next one is met awake.
    spin_while([&] { return round_.load(std::memory_order_acquire) == seen; });
    lock.lock();
  }
}

}  // namespace pinhole::detail
