// Sixty-four bytes that cross the link in one piece.
#pragma once

namespace pinhole::platform {

/// Whether this CPU can store 64 bytes at once (x86: MOVDIR64B).
[[nodiscard]] bool can_store_directly() noexcept;

/// Stores 64 bytes from anywhere to a 64-byte aligned line, in one piece and without waiting in a
/// write-combining buffer. Not ordered with other stores. Pre: can_store_directly().
void store_directly(void* line, const void* from) noexcept;

}  // namespace pinhole::platform
