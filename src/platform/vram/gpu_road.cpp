// Believes no flag: a road is open when both sides have seen each other's bytes.
#include "platform/vram/gpu_road.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "platform/fences.hpp"
#include "platform/linux/mapping.hpp"

namespace pinhole::platform {

namespace {

constexpr std::size_t trial_bytes = std::size_t{2} << 20U;  // one page of the device
using pattern = trial_words;

pattern make_pattern(std::uint32_t seed) {
  pattern made{};
  for (auto& word : made) {
    word = seed = seed * 1664525U + 1013904223U;
  }
  return made;
}

void store(void* to, const pattern& from) {
  auto* const place = static_cast<volatile std::uint32_t*>(to);
  for (std::size_t i = 0; i < from.size(); ++i) {
    place[i] = from[i];
  }
  drain_stores();
}

pattern load(const void* from) {
  order_all();
  pattern got{};
  const auto* const place = static_cast<const volatile std::uint32_t*>(from);
  for (std::size_t i = 0; i < got.size(); ++i) {
    got[i] = place[i];
  }
  return got;
}

std::string copy_failed(const status& how) {
  return std::string("the device cannot use it: copying failed with ") + how.name;
}

/// At the bytes from `offset` on. What was not seen is looked at once more a little later, so that
/// the reason tells bytes that were late from bytes that went elsewhere.
std::string problem_at(gpu_calls& gpu, const vram_block& block, std::size_t offset) {
  constexpr auto a_little = std::chrono::milliseconds(20);
  auto* const host = static_cast<std::byte*>(block.host) + offset;
  auto* const on_device = static_cast<std::byte*>(block.on_device) + offset;
  if (!can_be_read(host)) {
    return "it can be mapped, and its pages cannot be had";
  }
  const auto ours = make_pattern(1 + static_cast<std::uint32_t>(offset));
  store(host, ours);
  pattern seen{};
  if (const auto result = gpu.copy_to_host(&seen, on_device, sizeof(seen)); !result.ok()) {
    return copy_failed(result);
  }
  if (seen != ours) {
    pattern later{};
    std::this_thread::sleep_for(a_little);
    static_cast<void>(gpu.copy_to_host(&later, on_device, sizeof(later)));
    return "the device does not see what the CPU wrote" + mismatch(offset, ours, seen, later);
  }
  const auto theirs = make_pattern(7 + static_cast<std::uint32_t>(offset));
  if (const auto result = gpu.copy_to_device(on_device, &theirs, sizeof(theirs)); !result.ok()) {
    return copy_failed(result);
  }
  if (const auto got = load(host); got != theirs) {
    std::this_thread::sleep_for(a_little);
    return "the CPU does not see what the device wrote" + mismatch(offset, theirs, got, load(host));
  }
  return {};
}

/// At the first bytes of the block and at its last.
std::string problem_with(gpu_calls& gpu, const vram_block& block) {
  auto problem = problem_at(gpu, block, 0);
  return problem.empty() ? problem_at(gpu, block, trial_bytes - sizeof(pattern)) : problem;
}

}  // namespace

std::string mismatch(std::size_t offset, const trial_words& wanted, const trial_words& got,
                     const trial_words& later) {
  const auto differ = std::mismatch(wanted.begin(), wanted.end(), got.begin()).first;
  const auto i = static_cast<std::size_t>(differ - wanted.begin());
  if (i == wanted.size()) {
    return {};
  }
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(),
                ": at byte %zu, 0x%08x was expected, 0x%08x read, and 0x%08x 20 ms later",
                offset + i * sizeof(wanted[i]), wanted[i], got[i], later[i]);
  return text.data();
}

std::string sentence(const status& failed) {
  return std::string(failed.call) + " failed with " + failed.name;
}

std::string gpu_road::problem_on_trial() {
  vram_block block;
  if (const auto result = map(trial_bytes, block); !result.ok()) {
    return sentence(result);
  }
  auto problem = problem_with(gpu_, block);
  if (const auto result = unmap(block); !result.ok() && problem.empty()) {
    problem = sentence(result);
  }
  return problem;
}

}  // namespace pinhole::platform
