// The blocks and pieces behind a pinned pool.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "memory/pinned_block.hpp"
#include "pinhole/memory/pinned_pool.hpp"
#include "platform/event.hpp"

namespace pinhole::detail {

/// The size that a request is rounded up to: a multiple of 64 bytes up to 512, then one of eight
/// steps between powers of two. At most an eighth more than was asked for.
[[nodiscard]] std::size_t size_class(std::size_t bytes, std::size_t alignment);

class pool_core {
 public:
  pool_core(const device& where, const pool_options& options);
  ~pool_core();
  pool_core(const pool_core&) = delete;             // owns memory
  pool_core& operator=(const pool_core&) = delete;  // owns memory

  [[nodiscard]] const device& where() const noexcept { return where_; }

  // See pinned_pool.
  void* allocate(std::size_t bytes, std::size_t alignment);
  void give_back(void* memory) noexcept;
  void give_back_after(void* memory, const stream_ref& work);
  [[nodiscard]] std::byte* device_address(const void* memory);
  std::size_t trim();
  [[nodiscard]] pool_statistics statistics();

 private:
  /// Pinned memory that is cut into pieces of one size.
  struct block {
    pinned_block memory;
    std::size_t piece_bytes = 0;
    std::size_t pieces = 0;
    std::size_t lent = 0;
    [[nodiscard]] std::size_t bytes() const noexcept { return piece_bytes * pieces; }
  };
  struct waiting_piece {
    std::byte* piece;
    std::unique_ptr<event> done;
  };
  using blocks = std::map<const std::byte*, std::unique_ptr<block>, std::less<>>;
  class remains;

  [[nodiscard]] std::unique_ptr<block> make_block(std::size_t piece_bytes);
  void add_block(std::unique_ptr<block> made);
  [[nodiscard]] std::byte* take(std::size_t piece_bytes);
  [[nodiscard]] block* block_of(const void* memory) noexcept;
  void put(std::byte* piece) noexcept;
  void collect_waiting() noexcept;
  [[nodiscard]] blocks take_idle_blocks();

  device where_;
  pool_options options_;
  unsigned made_in_;                                       // the fork generation
  std::mutex mutex_;                                       // guards the rest
  blocks blocks_;                                          // by the address of their first byte
  std::map<std::size_t, std::vector<std::byte*>> unused_;  // by the size of the pieces
  std::vector<waiting_piece> waiting_;
  pool_statistics counts_;
};

}  // namespace pinhole::detail
