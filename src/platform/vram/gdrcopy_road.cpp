// gdr_pin_buffer and gdr_map.
#include "platform/vram/gdrcopy_road.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <utility>

#include "platform/linux/mapping.hpp"

namespace pinhole::platform {

namespace {

constexpr auto install =
    "install GDRCopy 2 and load its module gdrdrv (in a container, pass "
    "/dev/gdrdrv into it)";

}  // namespace

struct gdrcopy_road::mapped_pin {
  memory_handle pin;
  std::size_t bytes;
};

gdrcopy_road::~gdrcopy_road() {
  if (session_ != nullptr) {
    call_.close(session_);
  }
}

bool gdrcopy_road::find_functions() noexcept {
  call_ = {.open = library_.symbol<decltype(functions::open)>("gdr_open"),
           .close = library_.symbol<decltype(functions::close)>("gdr_close"),
           .pin = library_.symbol<decltype(functions::pin)>("gdr_pin_buffer"),
           .unpin = library_.symbol<decltype(functions::unpin)>("gdr_unpin_buffer"),
           .map = library_.symbol<decltype(functions::map)>("gdr_map"),
           .unmap = library_.symbol<decltype(functions::unmap)>("gdr_unmap")};
  return call_.open != nullptr && call_.close != nullptr && call_.pin != nullptr &&
         call_.unpin != nullptr && call_.map != nullptr && call_.unmap != nullptr;
}

road_state gdrcopy_road::probe() {
  if (!std::filesystem::exists(node_)) {
    return {.open = {false, std::string("there is no ") + node_, install}};
  }
  if (!library_.is_open()) {
    return {.open = {false, library_.problem(), install}};
  }
  if (!find_functions()) {
    return {.open = {false, "the library lacks functions of GDRCopy 2", install}};
  }
  session_ = call_.open();
  if (session_ == nullptr) {
    return {.open = {false,
                     "gdr_open failed: the module is older than the library, or the node "
                     "may not be opened",
                     install}};
  }
  auto problem = problem_on_trial();
  return {.open = {problem.empty(), std::move(problem), ""}};
}

status gdrcopy_road::map(std::size_t bytes, vram_block& out) {
  auto kept = std::make_unique<mapped_pin>(mapped_pin{{}, whole_granules(bytes)});
  void* memory = nullptr;
  if (const auto made = gpu().allocate(kept->bytes, memory); !made.ok()) {
    return made;
  }
  if (call_.pin(session_, reinterpret_cast<unsigned long>(memory), kept->bytes, 0, 0, &kept->pin) !=
      0) {
    static_cast<void>(gpu().free(memory));
    return {outcome::out_of_memory, "gdr_pin_buffer", "an error"};
  }
  void* host = nullptr;
  if (call_.map(session_, kept->pin, &host, kept->bytes) != 0) {
    call_.unpin(session_, kept->pin);
    static_cast<void>(gpu().free(memory));
    return {outcome::out_of_memory, "gdr_map", "an error"};
  }
  keep_from_children(host, kept->bytes);
  out = {.host = host, .on_device = memory, .write_combining = true, .handle = kept.release()};
  return {};
}

status gdrcopy_road::unmap(const vram_block& block) {
  // The memory first: where freeing is not permitted now, nothing is undone yet. The module lets go
  // of memory that is freed below it.
  const auto result = gpu().free(block.on_device);
  if (result.what == outcome::not_permitted) {
    return result;
  }
  const std::unique_ptr<mapped_pin> kept(static_cast<mapped_pin*>(block.handle));
  const bool unmapped = call_.unmap(session_, kept->pin, block.host, kept->bytes) == 0;
  const bool unpinned = call_.unpin(session_, kept->pin) == 0;
  if (result.ok() && !(unmapped && unpinned)) {
    return {outcome::failed, unmapped ? "gdr_unpin_buffer" : "gdr_unmap", "an error"};
  }
  return result;
}

}  // namespace pinhole::platform
