// Which source a program was built from, so that every figure can name its commit.
#pragma once

namespace pinhole {

/// "0.1.0".
[[nodiscard]] const char* version() noexcept;
/// The full commit of the checkout at build time, or "unknown" outside a git checkout.
[[nodiscard]] const char* build_commit() noexcept;
/// True when tracked files differed from that commit at build time, or it is unknown. Files in
/// results/ do not count: measuring writes there, and nothing is compiled from them.
[[nodiscard]] bool build_is_dirty() noexcept;

}  // namespace pinhole
