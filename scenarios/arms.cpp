// Placements to show, and the default stream of naive programs.
#include "scenarios/arms.hpp"

#include <algorithm>

#include "pinhole/core/error.hpp"
#include "pinhole/memory/any_buffer.hpp"

namespace pinhole::scenarios {

namespace {

constexpr placement in_host_memory[] = {placement::mapped, placement::registered,
                                        placement::managed};

/// A device that lacks a placement says so when a buffer is made.
bool has(const settings& asked, placement how) {
  try {
    (void)make_buffer<char>(asked.where, 1, how);
  } catch (const error& refused) {
    if (refused.kind() != fault::not_supported || !asked.placements.empty()) {
      throw;
    }
    return false;
  }
  return true;
}

/// On the CPU device managed memory is what mapped memory is: there it is shown to who names it.
bool is_shown(const settings& asked, placement how) {
  const bool is_another_mapped =
      how == placement::managed && asked.where.kind() == device_kind::cpu;
  return asked.wants(how) && (!is_another_mapped || !asked.placements.empty()) && has(asked, how);
}

}  // namespace

std::vector<placement> placements_in_place(const settings& asked) {
  const auto& can_map = asked.where.capabilities().map_host_memory;
  if (!can_map) {
    throw error({.kind = fault::not_supported,
                 .asked = "share memory with " + asked.where.id(),
                 .call = {},
                 .status = can_map.reason,
                 .remedy = can_map.remedy,
                 .sticky = false,
                 .survives = {}});
  }
  std::vector<placement> wanted;
  for (const placement how : in_host_memory) {
    if (is_shown(asked, how)) {
      wanted.push_back(how);
    }
  }
  return wanted;
}

std::vector<placement> placements_anywhere(const settings& asked) {
  std::vector<placement> wanted;
  for (const placement how : all_placements()) {
    if (how != placement::staged && is_shown(asked, how)) {
      wanted.push_back(how);
    }
  }
  return wanted;
}

unsigned pinned_among(const std::vector<placement>& placements) {
  return static_cast<unsigned>(
      std::ranges::count_if(placements, [](placement how) { return how != placement::vram; }));
}

default_stream::default_stream(const device& where) {
  if (where.kind() == device_kind::cpu) {
    own_.emplace(where);
  } else {
    legacy_.emplace(where, nullptr);
  }
}

default_stream::operator stream_ref() const {
  return legacy_ ? *legacy_ : own_->ref();
}

void default_stream::before_copy() const {
  if (own_) {
    own_->wait(patience);
  }
}

}  // namespace pinhole::scenarios
