// The arms of `flag` in which the device goes on by itself, or stays.
#pragma once

#include <memory>

#include "pinhole/platform/device.hpp"
#include "scenarios/scenario.hpp"
#include "scenarios/search.hpp"

namespace pinhole::scenarios {

/// In all of them the grid and the work of a turn are those of the other arms. Starting and
/// stopping a kernel that stays lies outside the timing.

/// Host and kernel raise flags for each other.
[[nodiscard]] std::unique_ptr<arm> make_resident_searcher(const device& where, const search& what);
/// The host asks each block for its share of a turn, and every block answers.
[[nodiscard]] std::unique_ptr<arm> make_mailbox_searcher(const device& where, const search& what);
/// A CUDA graph whose while node asks the kernel itself whether there is a next turn. GPUs only.
[[nodiscard]] std::unique_ptr<arm> make_graph_searcher(const device& gpu, const search& what);

}  // namespace pinhole::scenarios
