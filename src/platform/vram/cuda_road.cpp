// Believes no flag: a road is open when both sides have seen each other's bytes.
#include "platform/vram/cuda_road.hpp"

#include <array>
#include <cstdint>

#include "platform/cuda/cuda_backend.hpp"
#include "platform/fences.hpp"
#include "platform/linux/mapping.hpp"

namespace pinhole::platform {

namespace {

constexpr std::size_t trial_bytes = std::size_t{2} << 20U;  // one page of the device
constexpr std::size_t words = 16;
using pattern = std::array<std::uint32_t, words>;

pattern make_pattern(std::uint32_t seed) {
  pattern made{};
  for (auto& word : made) {
    word = seed = seed * 1664525U + 1013904223U;
  }
  return made;
}

void store(void* to, const pattern& from) {
  auto* const place = static_cast<volatile std::uint32_t*>(to);
  for (std::size_t i = 0; i < words; ++i) {
    place[i] = from[i];
  }
  drain_stores();
}

pattern load(const void* from) {
  order_all();
  pattern got{};
  const auto* const place = static_cast<const volatile std::uint32_t*>(from);
  for (std::size_t i = 0; i < words; ++i) {
    got[i] = place[i];
  }
  return got;
}

/// At the first bytes of the block and at its last.
std::string problem_with(const vram_block& block) {
  for (const std::size_t offset : {std::size_t{0}, trial_bytes - sizeof(pattern)}) {
    auto* const host = static_cast<std::byte*>(block.host) + offset;
    auto* const on_device = static_cast<std::byte*>(block.on_device) + offset;
    if (!can_be_read(host)) {
      return "it can be mapped, and its pages cannot be had";
    }
    const auto ours = make_pattern(1 + static_cast<std::uint32_t>(offset));
    store(host, ours);
    pattern seen{};
    auto result = cudaMemcpy(seen.data(), on_device, sizeof(seen), cudaMemcpyDeviceToHost);
    if (result == cudaSuccess && seen != ours) {
      return "the device does not see what the CPU wrote";
    }
    const auto theirs = make_pattern(7 + static_cast<std::uint32_t>(offset));
    if (result == cudaSuccess) {
      result = cudaMemcpy(on_device, theirs.data(), sizeof(theirs), cudaMemcpyHostToDevice);
    }
    if (result == cudaSuccess) {
      // From pageable memory cudaMemcpy returns before the bytes have arrived.
      result = cudaStreamSynchronize(cudaStreamLegacy);
    }
    if (result != cudaSuccess) {
      return std::string("the device cannot use it: copying failed with ") +
             cudaGetErrorName(result);
    }
    if (load(host) != theirs) {
      return "the CPU does not see what the device wrote";
    }
  }
  return {};
}

}  // namespace

std::string cuda_road::problem_on_trial() {
  const current_device current(ordinal_);
  vram_block block;
  if (const auto result = map(trial_bytes, block); !result.ok()) {
    return std::string(result.call) + " failed with " + result.name;
  }
  auto problem = problem_with(block);
  if (const auto result = unmap(block); !result.ok() && problem.empty()) {
    problem = std::string(result.call) + " failed with " + result.name;
  }
  return problem;
}

}  // namespace pinhole::platform
