// Sparse access to tables that lie across the link: only what is asked for crosses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "pinhole/access/access_report.hpp"
#include "pinhole/access/row_copy.hpp"
#include "pinhole/access/rows.hpp"
#include "pinhole/platform/stream.hpp"

namespace pinhole {

class index_order;

struct access_options {
  /// Blocks of the kernel; 0: enough for the whole device. Few blocks leave the other
  /// multiprocessors to other work; tuning.link_blocks fill the link with rows of 512 bytes and
  /// more.
  unsigned blocks = 0;
  access_report* report = nullptr;  ///< hears of indices that are out of range
  index_order* order = nullptr;     ///< of gather(): by which large tables are read in windows
};

namespace detail {

struct row_launch {
  access_options options;
  const char* name;
};
/// Queues the copy; checks nothing but what is said of access_options.
void launch_rows(const stream_ref& work, row_copy what, const row_launch& how);
/// Throws fault::invalid_argument unless `elements` hold `count` rows of `length`.
void require_room(const char* asked, std::size_t elements, std::size_t count, std::size_t length);

template <class Index>
concept row_index = std::is_same_v<std::remove_const_t<Index>, std::uint32_t> ||
                    std::is_same_v<std::remove_const_t<Index>, std::uint64_t>;

template <class T, class Index>
row_copy copy_of(const rows<T>& table, view<Index> which) {
  static_assert(std::is_trivially_copyable_v<T>);
  using plain = std::remove_const_t<T>;
  auto* const first = const_cast<plain*>(table.elements().data());
  return {.table = reinterpret_cast<std::byte*>(first),
          .rows = table.size(),
          .pitch = table.pitch() * sizeof(T),
          .row_bytes = table.length() * sizeof(T),
          .indices = reinterpret_cast<const std::byte*>(which.data()),
          .index_pitch = sizeof(Index),
          .count = which.size(),
          .packed = nullptr,
          .packed_pitch = table.length() * sizeof(T),
          .wide = sizeof(Index) == 8,
          .to_table = false};
}

}  // namespace detail

/// Queues out row i = row which[i] of `table`, for all i, on `work`; returns at once. All three may
/// lie in any placement, and the device must own them. Each row is read in whole aligned lines of
/// 128 bytes, which is what the link carries. Rows of any size and alignment; aligned to 16 bytes
/// they are fastest. An index out of range is skipped, so that its row of `out` stays as it was.
/// Throws fault::invalid_argument when `out` is too small.
template <class T, detail::row_index Index>
void gather(const stream_ref& work, const rows<T>& table, view<Index> which,
            view<std::remove_const_t<T>> out, const access_options& options = {}) {
  detail::require_room("gather rows", out.size(), which.size(), table.length());
  auto what = detail::copy_of(table, which);
  what.packed = reinterpret_cast<std::byte*>(out.data());
  detail::launch_rows(work, what, {options, "gather"});
}

/// Queues row which[i] of `table` = row i of `in`. As gather, with lines written whole. Where an
/// index comes twice, the row holds bytes of either.
template <class T, detail::row_index Index>
void scatter(const stream_ref& work, const rows<T>& table, view<Index> which,
             view<const std::type_identity_t<T>> in, const access_options& options = {}) {
  static_assert(!std::is_const_v<T>, "scatter writes to the table");
  detail::require_room("scatter rows", in.size(), which.size(), table.length());
  auto what = detail::copy_of(table, which);
  what.packed = reinterpret_cast<std::byte*>(const_cast<T*>(in.data()));
  what.to_table = true;
  detail::launch_rows(work, what, {options, "scatter"});
}

/// Queues the copy of `block_bytes` bytes from each offset into `from`, one behind the other, into
/// `out`: scattered blocks, which the copy engine takes one by one, in one kernel. Meant for blocks
/// of 512 bytes to 1 MiB. An offset from which no whole block can be read is out of range.
void gather_blocks(const stream_ref& work, view<const std::byte> from,
                   view<const std::uint64_t> offsets, std::size_t block_bytes, view<std::byte> out,
                   const access_options& options = {});

/// One element and where it goes.
template <class T>
struct change {
  std::uint64_t position;
  T value;
};

/// Queues target[c.position] = c.value for each change c. Where a position comes twice, either.
template <class T>
void edit(const stream_ref& work, view<T> target,
          view<const change<std::type_identity_t<T>>> changes, const access_options& options = {}) {
  using entry = change<T>;
  auto what = detail::copy_of(rows<T>(target), view<const std::uint64_t>());
  const auto* const first = reinterpret_cast<const std::byte*>(changes.data());
  what.indices = first + offsetof(entry, position);
  what.index_pitch = sizeof(entry);
  what.count = changes.size();
  what.packed = const_cast<std::byte*>(first) + offsetof(entry, value);
  what.packed_pitch = sizeof(entry);
  what.to_table = true;
  detail::launch_rows(work, what, {options, "edit"});
}

}  // namespace pinhole
