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
  /// Pinned memory of this many bytes and more is made of pages that several threads touch while
  /// the driver registers them; less comes from the driver, which keeps a small stock.
  std::size_t pin_pages_from = std::size_t{32} << 20U;
  /// How many threads touch the pages of large host memory, at most one for each CPU.
  unsigned pin_threads = 16;
  /// How many blocks of an access kernel fill the link, so that the others are left to other work.
  unsigned link_blocks = 4;
  /// stream_through() brings in ranges of this many bytes and more by the copy engine, which is a
  /// little faster than kernels are, in chunks of stream_chunk_bytes; it reads shorter ones in
  /// place.
  std::size_t stream_by_engine_from = std::size_t{64} << 20U;
  std::size_t stream_chunk_bytes = std::size_t{8} << 20U;
  /// gather() with an index_order goes through tables of this many bytes and more by windows of
  /// window_bytes, within which the device keeps the translations of pinned memory's small pages.
  std::size_t window_from_bytes = std::size_t{768} << 20U;
  std::size_t window_bytes = std::size_t{256} << 20U;
};

}  // namespace pinhole
