// Joins a Vulkan allocation and its image in CUDA's address space.
#include "platform/vram/vulkan_road.hpp"

#include <utility>

#include "pinhole/core/units.hpp"
#include "platform/linux/mapping.hpp"

namespace pinhole::platform {

namespace {

struct imported_block {
  vulkan_block from;
  void* imported = nullptr;
};

/// The file is the driver's when this succeeds, and closed when it does not.
status import(gpu_calls& gpu, imported_block& kept, void*& on_device) {
  const auto& from = kept.from;
  if (auto result = gpu.import_file(from.file, from.bytes, kept.imported); !result.ok()) {
    close_file(from.file);
    return result;
  }
  auto result = gpu.map_import(kept.imported, from.bytes, on_device);
  if (!result.ok()) {
    static_cast<void>(gpu.drop_import(kept.imported));
  }
  return result;
}

}  // namespace

road_state vulkan_road::probe() {
  gpu_identity card;
  if (const auto known = gpu().identify(card); !known.ok()) {
    return {.open = {false, sentence(known), ""}};
  }
  memory_ = std::make_unique<vulkan_memory>(card.uuid, loader_);
  road_state found{.open = memory_->open(), .window_bytes = memory_->window_bytes()};
  if (found.open) {
    auto problem = problem_on_trial();
    found.open = {problem.empty(), std::move(problem), ""};
  }
  if (!found.open && card.bar1_bytes) {
    found.open.reason += " (BAR1 is " + format_bytes(*card.bar1_bytes) + ")";
  }
  // The heap leaves out what the driver keeps for itself; half the card or less is a small window.
  if (found.open && found.window_bytes < card.memory_bytes / 2) {
    found.open.reason = "a window of " + format_bytes(found.window_bytes);
    found.open.remedy = "for all of the card, switch on resizable BAR in the machine's firmware";
  }
  return found;
}

status vulkan_road::map(std::size_t bytes, vram_block& out) {
  auto kept = std::make_unique<imported_block>();
  if (const auto result = memory_->allocate(bytes, kept->from); !result.ok()) {
    return result;
  }
  void* on_device = nullptr;
  if (const auto result = import(gpu(), *kept, on_device); !result.ok()) {
    memory_->free(kept->from);
    return result;
  }
  out = {.host = kept->from.host,
         .on_device = on_device,
         .write_combining = memory_->write_combining(),
         .handle = kept.release()};
  return {};
}

status vulkan_road::unmap(const vram_block& block) {
  // The GPU's half first: where freeing is not permitted now, nothing is undone yet.
  auto result = gpu().free(block.on_device);
  if (result.what == outcome::not_permitted || result.what == outcome::unloading) {
    return result;  // at the end of the process Vulkan's driver is gone as well
  }
  const std::unique_ptr<imported_block> kept(static_cast<imported_block*>(block.handle));
  // A device that was reset has forgotten the address, and the import with it: what is left of the
  // handle must not be touched.
  const bool forgotten = result.what == outcome::invalid_value;
  const auto dropped = forgotten ? status{} : gpu().drop_import(kept->imported);
  memory_->free(kept->from);
  return result.ok() ? dropped : result;
}

}  // namespace pinhole::platform
