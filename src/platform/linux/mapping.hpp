// What mappings of device memory need from the operating system.
#pragma once

#include <cstddef>

namespace pinhole::platform {

/// Keeps a mapping out of the children of this process: they shall neither see nor disturb it.
void keep_from_children(void* mapping, std::size_t bytes) noexcept;

/// True when the CPU can read the byte at `address`, found out without touching it: reading a
/// mapping whose pages cannot be had would end the process.
[[nodiscard]] bool can_be_read(const void* address) noexcept;

/// Maps a file descriptor for reading and writing by this process and whoever else has it; null
/// with the reason in errno.
[[nodiscard]] void* map_shared(int file, std::size_t bytes) noexcept;
/// Fresh pages for this process alone, which begin at a multiple of 2 MiB, with huge pages advised,
/// and which a forked child does not get; null where there are none. Released by unmap().
[[nodiscard]] void* map_own_pages(std::size_t bytes) noexcept;
void unmap(void* mapping, std::size_t bytes) noexcept;
void close_file(int file) noexcept;

/// "EINVAL"; "ENOTSUPP" for the one that drivers return and the C library does not know.
[[nodiscard]] const char* errno_name(int number) noexcept;

}  // namespace pinhole::platform
