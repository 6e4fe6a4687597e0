// Finds the devices once, and names them.
#include "pinhole/platform/device.hpp"

#include <charconv>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "platform/device_state.hpp"
#include "platform/platform.hpp"

namespace pinhole {

namespace {

/// PINHOLE_CPU_DELAY=SEED:MICROSECONDS, of at most a second; anything else means no delays.
platform::cpu_options cpu_options_from_environment() {
  constexpr unsigned longest_us = 1'000'000;
  const char* const variable = std::getenv("PINHOLE_CPU_DELAY");
  const std::string_view text = variable == nullptr ? "" : variable;
  const char* const end = text.data() + text.size();
  platform::cpu_options options;
  const auto seed = std::from_chars(text.data(), end, options.seed);
  if (seed.ec != std::errc{} || seed.ptr == end || *seed.ptr != ':') {
    return {};
  }
  const auto delay = std::from_chars(seed.ptr + 1, end, options.delay_us);
  if (delay.ec != std::errc{} || delay.ptr != end || options.delay_us > longest_us) {
    return {};
  }
  return options;
}

struct registry {
  std::vector<device> gpus;
  std::string why_no_gpu;
};

/// Lives until the process ends, so that buffers with static storage can still be destroyed.
const registry& found() {
  static const registry* const devices = [] {
    auto* const made = new registry;
    for (auto& [driver, name, ordinal] : platform::find_gpus(made->why_no_gpu)) {
      made->gpus.push_back(
          platform::make_device(std::move(driver), "cuda:" + std::to_string(ordinal), name));
    }
    return made;
  }();
  return *devices;
}

}  // namespace

device platform::make_device(std::shared_ptr<backend> driver, std::string id, std::string name) {
  auto state = std::make_shared<detail::device_state>();
  state->driver = std::move(driver);
  state->id = std::move(id);
  state->name = std::move(name);
  if (state->driver->kind() == device_kind::cpu) {
    // The waiting thread takes a core that the device's own threads could use.
    state->numbers.spin = std::chrono::microseconds(20);
  }
  return device(std::move(state));
}

device device::first() {
  return all().front();
}

std::vector<device> device::all() {
  const auto& gpus = found().gpus;
  return gpus.empty() ? std::vector{cpu()} : gpus;
}

device device::cpu() {
  static const device* const made = new device(
      platform::make_device(platform::make_cpu(cpu_options_from_environment()), "cpu", "cpu"));
  return *made;
}

std::string device::why_no_gpu() {
  return found().why_no_gpu;
}

device_kind device::kind() const noexcept {
  return state_->driver->kind();
}
const std::string& device::name() const noexcept {
  return state_->name;
}
const std::string& device::id() const noexcept {
  return state_->id;
}
tuning& device::tuning() const noexcept {
  return state_->numbers;
}
platform::backend& device::backend() const noexcept {
  return *state_->driver;
}
std::size_t device::retired() const noexcept {
  return state_->retired.size();
}
std::size_t device::collect() const noexcept {
  const auto remain = state_->retired.collect();
  const std::lock_guard lock(state_->vram_mutex);
  if (state_->vram && !state_->retired.is_held()) {
    state_->vram->release_spares();
  }
  return remain;
}

const capabilities& device::capabilities() const {
  // Not std::call_once: an exception that leaves it crosses pthread_once, which aborts the process
  // where the program carries its own copy of the unwinder (-static-libgcc).
  if (!state_->described.load(std::memory_order_acquire)) {
    const std::lock_guard lock(state_->describing);
    if (!state_->described.load(std::memory_order_relaxed)) {
      platform::require(backend(), backend().describe(state_->facts),
                        "read the capabilities of " + id());
      state_->described.store(true, std::memory_order_release);
    }
  }
  return state_->facts;
}

device find_device(std::string_view id) {
  std::string known = "cpu";
  if (id == "cpu") {
    return device::cpu();
  }
  for (const auto& gpu : found().gpus) {
    if (id == gpu.id() || "cuda:" + std::string(id) == gpu.id()) {
      return gpu;
    }
    known += ", " + gpu.id();
  }
  const std::string& why = found().why_no_gpu;
  detail::reject("use the device '" + std::string(id) + "'",
                 "the devices here are: " + known + (why.empty() ? "" : " (no GPU: " + why + ")"));
}

}  // namespace pinhole
