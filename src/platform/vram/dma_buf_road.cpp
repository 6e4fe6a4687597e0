// An export and an mmap.
#include "platform/vram/dma_buf_road.hpp"

#include <cerrno>
#include <memory>
#include <utility>

#include "platform/linux/mapping.hpp"

namespace pinhole::platform {

namespace {

struct mapped_dma_buf {
  int file;
  std::size_t bytes;
};

}  // namespace

road_state dma_buf_road::probe() {
  auto problem = problem_on_trial();
  if (problem.empty()) {
    return {.open = {true, "", ""}};
  }
  return {.open = {false, std::move(problem),
                   "use driver 610 (CUDA 13.3) or newer with its open kernel modules"}};
}

status dma_buf_road::map(std::size_t bytes, vram_block& out) {
  auto kept = std::make_unique<mapped_dma_buf>(mapped_dma_buf{-1, whole_granules(bytes)});
  void* memory = nullptr;
  auto result = gpu().allocate(kept->bytes, memory);
  if (!result.ok()) {
    return result;
  }
  result = gpu().export_dma_buf(memory, kept->bytes, kept->file);
  void* host = nullptr;
  if (result.ok()) {
    host = map_shared(kept->file, kept->bytes);
    if (host == nullptr) {
      result = {errno == ENOMEM ? outcome::out_of_memory : outcome::not_supported,
                "mmap of a dma-buf", errno_name(errno)};
      close_file(kept->file);
    }
  }
  if (!result.ok()) {
    static_cast<void>(gpu().free(memory));
    return result;
  }
  keep_from_children(host, kept->bytes);
  out = {.host = host, .on_device = memory, .write_combining = true, .handle = kept.release()};
  return {};
}

status dma_buf_road::unmap(const vram_block& block) {
  // The memory first: where freeing is not permitted now, nothing is undone yet.
  const auto result = gpu().free(block.on_device);
  if (result.what != outcome::not_permitted) {
    const std::unique_ptr<mapped_dma_buf> kept(static_cast<mapped_dma_buf*>(block.handle));
    platform::unmap(block.host, kept->bytes);
    close_file(kept->file);
  }
  return result;
}

}  // namespace pinhole::platform
