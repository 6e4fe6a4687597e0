// Measured knowledge as plain numbers, so that lower layers can use it without looking upwards.
#pragma once

#include <chrono>
#include <cstddef>

namespace pinhole {

/// The numbers that the library decides by. Each device holds one; the defaults are sane on current
/// PCIe machines and were chosen from results/h200. Write them before the device is used by several
/// threads: reads are not synchronised.
struct tuning {
  /// Threads per block of for_each_index.
  unsigned block_threads = 256;
  /// How long a host wait only spins (querying the stream) before it yields between queries.
  std::chrono::microseconds spin{200};
  /// How long a host wait yields before it sleeps between queries.
  std::chrono::milliseconds yield{20};
  /// How long a destructor waits for work that still uses the buffer before it hands the buffer to
  /// the device's retire list.
  std::chrono::milliseconds destroy_wait{2000};
  /// Reads of VRAM of this many bytes and more take the copy engine, whose call costs 7 to 10
  /// us; below it the CPU loads over the link, at 0.9 GB/s (results/h200/vram.json).
  std::size_t vram_read_by_engine_from = 10240;
  /// What small vram buffers share. Read once, when the device's first one is made.
  std::size_t vram_block_bytes = std::size_t{32} << 20U;
};

}  // namespace pinhole
