// Counts pinned bytes against a limit, and against the limits above it.
#include "pinhole/memory/pin_budget.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "platform/linux/host_limits.hpp"

namespace pinhole {

namespace detail {

/// One budget's count. Parts hold the account above them, reservations the one they came from.
struct budget_account {
  std::string name;                        // empty: the process's
  std::optional<std::uint64_t> own_limit;  // of a part: what it was made with
  std::shared_ptr<budget_account> above;

  // Guarded by budget_mutex().
  std::optional<std::uint64_t> set_limit;
  std::uint64_t in_use = 0;
  std::uint64_t high_water = 0;
};

}  // namespace detail

using detail::budget_account;

namespace {

constexpr unsigned default_percent = 10;
constexpr const char* variable = "PINHOLE_PIN_LIMIT";

/// One for all budgets, since a reservation changes a whole line of them. Lives until the process
/// ends: buffers with static storage give back their share last.
std::mutex& budget_mutex() noexcept {
  static auto* const made = new std::mutex;
  return *made;
}

struct sized_text {
  std::uint64_t bytes = 0;
  std::string text;
};

/// What percentages are of.
sized_text memory_that_counts() {
  const auto total = platform::total_memory();
  const auto cgroup = platform::cgroup_memory_limit();
  const bool cgroup_binds = cgroup && cgroup->bytes < total;
  const auto base = cgroup_binds ? cgroup->bytes : total;
  return {base, format_bytes(base) + " (" + (cgroup_binds ? cgroup->source : "MemTotal") + ")"};
}

/// The number before a '%', of 0 to 100.
std::optional<double> percent_of(std::string_view text) {
  if (!text.ends_with('%')) {
    return std::nullopt;
  }
  text.remove_suffix(1);
  while (text.ends_with(' ')) {
    text.remove_suffix(1);
  }
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto got = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  const bool is_share = got.ec == std::errc{} && got.ptr == end && value >= 0 && value <= 100;
  return is_share ? std::optional(value) : std::nullopt;
}

sized_text limit_from(const std::string& setting) {
  try {
    const auto bytes = pin_budget::parse_limit(setting);
    const bool is_share = setting.ends_with('%');
    return {bytes, std::string(variable) + "=" + setting +
                       (is_share ? " of " + memory_that_counts().text : "")};
  } catch (const error& refused) {
    detail::reject("use " + std::string(variable) + "='" + setting + "' of the environment",
                   refused.status());
  }
}

sized_text machine_limit() {
  if (const char* const setting = std::getenv(variable); setting != nullptr) {
    return limit_from(setting);
  }
  const auto memory = memory_that_counts();
  return {memory.bytes / 100 * default_percent,
          std::to_string(default_percent) + " % of " + memory.text};
}

sized_text limit_of(const budget_account& account) {
  std::optional<std::uint64_t> set;
  {
    const std::lock_guard lock(budget_mutex());
    set = account.set_limit;
  }
  return set ? sized_text{*set, "set by the program"} : machine_limit();
}

std::string name_of(const budget_account& account) {
  return account.name.empty() ? "the pin budget" : "the pin budget '" + account.name + "'";
}

[[noreturn]] void refuse(const budget_account& account, const sized_text& limit,
                         std::uint64_t in_use, std::uint64_t bytes, std::string asked) {
  const bool is_whole = account.name.empty();
  throw error(
      {.kind = fault::over_budget,
       .asked = std::move(asked),
       .call = {},
       .status = name_of(account) + " of " + format_bytes(limit.bytes) + ", " + limit.text +
                 ", has " + format_bytes(in_use) + " in use, and this needs " + format_bytes(bytes),
       .remedy = is_whole ? "free pinned buffers, or raise it with "
                            "pin_budget::process().set_limit(bytes), PINHOLE_PIN_LIMIT or "
                            "--pin-limit of the tool"
                          : "free what this component pinned, or raise its part with set_limit",
       .sticky = false,
       .survives = {}});
}

}  // namespace

pin_budget& pin_budget::process() noexcept {
  static auto* const made = new pin_budget;
  return *made;
}

pin_budget::pin_budget() : account_(std::make_shared<budget_account>()) {}

pin_budget::pin_budget(std::string name, std::uint64_t limit, const pin_budget& above)
    : account_(std::make_shared<budget_account>()) {
  account_->name = std::move(name);
  account_->own_limit = limit;
  account_->set_limit = limit;
  account_->above = above.account_;
}

pin_budget::~pin_budget() = default;

std::uint64_t pin_budget::limit() const {
  return limit_of(*account_).bytes;
}

std::string pin_budget::origin() const {
  return limit_of(*account_).text;
}

std::uint64_t pin_budget::in_use() const noexcept {
  const std::lock_guard lock(budget_mutex());
  return account_->in_use;
}

std::uint64_t pin_budget::high_water() const noexcept {
  const std::lock_guard lock(budget_mutex());
  return account_->high_water;
}

void pin_budget::set_limit(std::uint64_t bytes) noexcept {
  const std::lock_guard lock(budget_mutex());
  account_->set_limit = bytes;
}

void pin_budget::clear_limit() noexcept {
  const std::lock_guard lock(budget_mutex());
  account_->set_limit = account_->own_limit;
}

std::uint64_t pin_budget::parse_limit(std::string_view text) {
  if (const auto percent = percent_of(text)) {
    return static_cast<std::uint64_t>(static_cast<double>(memory_that_counts().bytes) * *percent /
                                      100);
  }
  if (text.find('%') != std::string_view::npos) {
    detail::reject("read '" + std::string(text) + "' as a share of the memory",
                   "allowed are shares from 0% to 100%");
  }
  return parse_bytes(text);
}

pin_budget::reservation pin_budget::reserve(std::uint64_t bytes, std::string asked) {
  std::vector<std::pair<budget_account*, sized_text>> line;  // from the part up to the whole
  for (auto* one = account_.get(); one != nullptr; one = one->above.get()) {
    line.emplace_back(one, limit_of(*one));
  }
  std::unique_lock lock(budget_mutex());
  for (const auto& [account, limit] : line) {
    const auto in_use = account->in_use;
    if (in_use > limit.bytes || bytes > limit.bytes - in_use) {
      lock.unlock();
      refuse(*account, limit, in_use, bytes, std::move(asked));
    }
  }
  for (const auto& [account, limit] : line) {
    account->in_use += bytes;
    account->high_water = std::max(account->high_water, account->in_use);
  }
  return {account_, bytes};
}

pin_budget::reservation::reservation(std::shared_ptr<budget_account> from,
                                     std::uint64_t bytes) noexcept
    : from_(std::move(from)), bytes_(bytes) {}

pin_budget::reservation::reservation(reservation&& other) noexcept
    : from_(std::move(other.from_)), bytes_(std::exchange(other.bytes_, 0)) {}

pin_budget::reservation& pin_budget::reservation::operator=(reservation&& other) noexcept {
  std::swap(from_, other.from_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

pin_budget::reservation::~reservation() {
  if (bytes_ == 0) {
    return;
  }
  const std::lock_guard lock(budget_mutex());
  for (auto* one = from_.get(); one != nullptr; one = one->above.get()) {
    one->in_use -= bytes_;
  }
}

}  // namespace pinhole
