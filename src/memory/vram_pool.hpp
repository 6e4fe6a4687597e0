// Many small buffers in few large blocks, because mapping a block takes milliseconds and a driver
// has a limited number of them.
#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <set>

#include "platform/device_state.hpp"
#include "platform/platform.hpp"

namespace pinhole::detail {

/// The VRAM of one device that is mapped for the CPU. Requests of more than half a block get a
/// block of their own. One block that is free altogether is kept for later; others go back.
///
/// Taking a place and giving it back take time logarithmic in the number of free places; giving it
/// back allocates nothing. All members may be called from any thread.
class vram_pool final : public spare_memory {
 public:
  static constexpr std::size_t granule = 256;  ///< places begin at multiples of it

  struct place;

  /// `block_bytes` is what is asked of the driver at once.
  vram_pool(platform::backend& driver, std::size_t block_bytes) noexcept;
  /// Gives the blocks back. Pre: no place is taken any more.
  ~vram_pool() override;
  vram_pool(const vram_pool&) = delete;             // owns memory
  vram_pool& operator=(const vram_pool&) = delete;  // owns memory

  /// Post: `out` is a place of at least `bytes` > 0. Else what allocate_vram failed with.
  platform::status take(std::size_t bytes, place*& out);
  /// Gives a place back; false where its block would go back to the driver and that is not
  /// permitted now: then the place is still taken.
  bool give_back(place* taken) noexcept;
  /// Gives the blocks that are free altogether back to the driver.
  void release_spares() noexcept override;

  struct totals {
    std::size_t blocks = 0;
    std::size_t free_places = 0;
    std::size_t free_bytes = 0;
  };
  [[nodiscard]] totals count() const;
  /// False in a child of the process that made the pool: the mappings are the parent's.
  [[nodiscard]] bool is_of_this_process() const noexcept;

 private:
  struct smaller {
    using is_transparent = void;
    bool operator()(const place* a, const place* b) const noexcept;
    bool operator()(const place* a, std::size_t bytes) const noexcept;
  };
  using free_places = std::set<place*, smaller>;

  struct block {
    platform::vram_block memory;
    bool shared = true;     // else it is one place
    std::size_t taken = 0;  // places
    std::list<place> places;
    std::list<block>::iterator self;
  };

 public:
  /// A part of a block, taken or free.
  struct place {
    [[nodiscard]] std::byte* host() const noexcept {
      return static_cast<std::byte*>(in->memory.host) + first;
    }
    [[nodiscard]] std::byte* on_device() const noexcept {
      return static_cast<std::byte*>(in->memory.on_device) + first;
    }
    [[nodiscard]] bool write_combining() const noexcept { return in->memory.write_combining; }

   private:
    friend class vram_pool;
    block* in = nullptr;
    std::size_t first = 0;
    std::size_t bytes = 0;
    bool is_free = false;
    free_places::node_type seat;  // in the set of free places; kept here while the place is taken
    std::list<place>::iterator self;
  };

 private:
  platform::status add_block(std::size_t bytes, bool shared);
  [[nodiscard]] bool drop(block& unwanted) noexcept;
  void claim(place& chosen) noexcept;
  void split(place& from, std::size_t bytes);
  static void seat_for(place& newcomer);
  void set_free(place& freed) noexcept;
  void absorb(place& into, place& next) noexcept;

  platform::backend& driver_;
  std::size_t block_bytes_;
  mutable std::mutex mutex_;  // guards what follows
  std::list<block> blocks_;
  free_places free_;        // best fit: the smallest that is large enough, and of those the lowest
  std::size_t spares_ = 0;  // shared blocks without a taken place
  unsigned made_in_;        // the fork generation
};

/// The pool of a device, made when first asked for. In a forked child it is another one.
[[nodiscard]] vram_pool& vram_pool_of(const device& where);

}  // namespace pinhole::detail
