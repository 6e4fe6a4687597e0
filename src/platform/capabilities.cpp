// The order and the words in which capabilities are listed.
#include "pinhole/platform/capabilities.hpp"

namespace pinhole {

std::vector<named_capability> list(const capabilities& from) {
  return {
      {"map host memory", "kernels read and write pinned host memory in place",
       &from.map_host_memory},
      {"registered pointer = device pointer", "registered memory has one address for both sides",
       &from.same_pointer_registered},
      {"register read-only memory", "pages that may only be read can be registered",
       &from.register_read_only},
      {"managed, concurrent access", "CPU and GPU may touch managed memory at the same time",
       &from.managed_concurrent},
      {"pageable access", "kernels read and write memory from plain malloc", &from.pageable_access},
      {"native host atomics", "device atomics on host memory are atomic for the CPU too",
       &from.native_host_atomics},
      {"integrated", "the device shares the host's memory", &from.integrated},
      {"virtual memory management on host", "host memory can be mapped by the device page by page",
       &from.vmm_on_host},
      {"dma-buf", "device memory can be exported to other drivers", &from.dma_buf},
  };
}

}  // namespace pinhole
