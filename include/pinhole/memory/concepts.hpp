// What every buffer has in common, whatever its placement.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

#include "pinhole/core/view.hpp"
#include "pinhole/memory/placement.hpp"
#include "pinhole/platform/stream.hpp"

namespace pinhole {

/// Bytes that the host wrote, or something else did, and both sides may read.
///
/// `to_device(stream[, first, count])` hands elements to the device: from then until the matching
/// `to_host` and a wait, the host must not touch them. `to_host` hands them back; the host may
/// touch them once the stream has passed that point (stream.wait). `read` blocks, is legal while
/// the host owns the range, and takes the fastest road of the placement.
template <class Buffer>
concept readable_buffer =
    std::movable<Buffer> && std::is_trivially_copyable_v<typename Buffer::value_type> &&
    requires(const Buffer& buffer, Buffer& handed, const stream_ref& work, std::size_t n,
             std::span<typename Buffer::value_type> out) {
      { std::span<const typename Buffer::value_type>(buffer.host()) };
      { view<const typename Buffer::value_type>(buffer.device()) };
      { buffer.size() } -> std::same_as<std::size_t>;
      { buffer.placed() } -> std::same_as<placement>;
      buffer.read(n, out);
      handed.to_device(work);
      handed.to_device(work, n, n);
      handed.to_host(work);
      handed.to_host(work, n, n);
    };

/// A readable buffer that both sides may also write.
template <class Buffer>
concept shared_buffer =
    readable_buffer<Buffer> && requires(const Buffer& buffer, Buffer& written, std::size_t n,
                                        std::span<const typename Buffer::value_type> in) {
      { buffer.host() } -> std::same_as<std::span<typename Buffer::value_type>>;
      { buffer.device() } -> std::same_as<view<typename Buffer::value_type>>;
      written.write(n, in);
    };

}  // namespace pinhole
