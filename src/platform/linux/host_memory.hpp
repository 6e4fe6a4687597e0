// What the operating system says about ranges of this process's memory, and about the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace pinhole::platform {

[[nodiscard]] std::size_t page_size() noexcept;
/// The bytes of all pages that hold a byte of the range: what pinning it costs. Pre: bytes > 0.
[[nodiscard]] std::size_t page_bytes(const void* first, std::size_t bytes) noexcept;

/// The protection that all pages of a range have in common.
enum class page_access { unknown, not_mapped, none, read_only, read_write };
/// From /proc/self/maps; `unknown` where it cannot be read. The weakest page decides.
[[nodiscard]] page_access access_of(const void* first, std::size_t bytes);

/// Counts forks that led to this process since the library was loaded: 0 in the process that loaded
/// it. What a parent pinned is not ours to release.
[[nodiscard]] unsigned fork_generation() noexcept;

}  // namespace pinhole::platform
