// Launches row copies, and does them on the CPU device.
#include "pinhole/access/gather.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "access/index_list.hpp"
#include "access/row_kernel.hpp"
#include "pinhole/access/index_order.hpp"
#include "pinhole/core/error.hpp"
#include "pinhole/platform/launch.hpp"
#include "pinhole/platform/listed_kernel.hpp"

namespace pinhole {

namespace detail {

namespace {

constexpr unsigned threads = 512;

#if defined(PINHOLE_CPU_ONLY)
const void* kernel() {
  return nullptr;
}
#else
const listed_kernel listed(row_kernel());
const void* kernel() {
  return listed.cuda_kernel();
}
#endif

/// The kernel's work of one block, which here is a thread with a share of the list.
void copy_share(const row_work& work, unsigned block, unsigned blocks) {
  const auto& what = work.what;
  const std::uint64_t share = (what.count + blocks - 1) / blocks;
  const std::uint64_t last = std::min(what.count, share * (block + 1));
  block_report report;
  for (std::uint64_t i = share * block; i < last; ++i) {
    const auto position = what.ordered == nullptr ? i : what.positions[i];
    const auto index = what.ordered == nullptr ? index_at(what, i) : what.ordered[i];
    if (index >= what.rows) {
      ++report.skipped;
      report.first = std::min(report.first, position);
      continue;
    }
    auto* const row = what.table + index * what.pitch;
    auto* const packed = what.packed + position * what.packed_pitch;
    std::memcpy(what.to_table ? row : packed, what.to_table ? packed : row, what.row_bytes);
  }
  if (work.report != nullptr) {
    work.report[block] = report;
  }
}

/// The widest unit in which all rows can be copied, whatever the indices are.
std::uint64_t common_unit(const row_copy& what) {
  const auto shared = reinterpret_cast<std::uintptr_t>(what.table) |
                      reinterpret_cast<std::uintptr_t>(what.packed) | what.pitch |
                      what.packed_pitch | what.row_bytes;
  return shared % 16 == 0 ? 16 : 4;
}

row_work work_for(const row_copy& what) {
  const auto units = (what.row_bytes + common_unit(what) - 1) / common_unit(what);
  return {.what = what,
          // A row that does not begin with a line reaches into one more piece.
          .pieces = what.row_bytes <= 2 * row_piece_bytes
                        ? 1
                        : (what.row_bytes + 127 + row_piece_bytes - 1) / row_piece_bytes,
          .lanes = static_cast<unsigned>(std::bit_ceil(std::min<std::uint64_t>(units, 32))),
          .report = nullptr};
}

unsigned blocks_for(const device& where, const row_work& work, unsigned asked) {
  if (where.kind() == device_kind::cpu) {
    return work.what.count < 1024 ? 1 : 2;
  }
  const auto whole = 4 * static_cast<std::uint64_t>(where.capabilities().multiprocessors);
  const auto groups = threads / work.lanes;
  const auto useful = (work.what.count * work.pieces + groups - 1) / groups;
  return static_cast<unsigned>(std::clamp<std::uint64_t>(useful, 1, asked != 0 ? asked : whole));
}

}  // namespace

void require_room(const char* asked, std::size_t elements, std::size_t count, std::size_t length) {
  if (count > elements / length) {
    reject(asked, std::to_string(count) + " rows of " + std::to_string(length) +
                      " elements do not fit into the " + std::to_string(elements) +
                      " elements of the packed side");
  }
}

void launch_rows(const stream_ref& work, row_copy what, const row_launch& how) {
  auto* const report = how.options.report;
  if (report != nullptr && report->of_block_.where() != work.where()) {
    reject(how.name, "the report belongs to " + report->of_block_.where().id() +
                         ", and the stream to " + work.where().id());
  }
  if (report != nullptr) {
    report->blocks_ = 0;
  }
  if (what.count == 0) {
    return;
  }
  auto* const order = what.to_table ? nullptr : how.options.order;
  if (order != nullptr) {
    order->arrange(work, what);
  }
  auto rows = work_for(what);
  launch_request request;
  request.name = how.name;
  request.cuda_kernel = kernel();
  request.threads = threads;
  request.blocks = blocks_for(work.where(), rows, how.options.blocks);
  if (report != nullptr) {
    request.blocks = std::min(request.blocks, access_report::most_blocks);
    report->of_block_.to_device(work);
    rows.report = report->of_block_.device().data();
  }
  void* arguments[] = {&rows};
  request.arguments = arguments;
  if (work.where().kind() == device_kind::cpu) {
    request.cpu_block = [rows](unsigned block, unsigned blocks) {
      copy_share(rows, block, blocks);
    };
  }
  launch(work, request);
  if (what.ordered != nullptr) {
    order->used_by(work);
  }
  if (report != nullptr) {
    report->of_block_.to_host(work);
    report->blocks_ = request.blocks;
  }
}

}  // namespace detail

void gather_blocks(const stream_ref& work, view<const std::byte> from,
                   view<const std::uint64_t> offsets, std::size_t block_bytes, view<std::byte> out,
                   const access_options& options) {
  if (block_bytes == 0) {
    detail::reject("gather blocks", "a block of no bytes has no place");
  }
  detail::require_room("gather blocks", out.size(), offsets.size(), block_bytes);
  detail::row_copy what = detail::copy_of(rows<const std::byte>(from, block_bytes), offsets);
  // Each byte from which a whole block can be read begins a "row".
  what.pitch = 1;
  what.rows = from.size() < block_bytes ? 0 : from.size() - block_bytes + 1;
  what.packed = out.data();
  detail::launch_rows(work, what, {options, "gather_blocks"});
}

}  // namespace pinhole
