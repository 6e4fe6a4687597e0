// Which machine a command plans for: one that is named, or this one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pinhole/advice/calibrate.hpp"
#include "pinhole/advice/machine_profile.hpp"

namespace pinhole::tool {

/// The names of the profiles in profiles/, which are compiled in.
[[nodiscard]] std::vector<std::string> shipped_profiles();

/// A profile that ships, or the one in a file: names that hold a slash or end in .json are files.
/// Throws failure naming --profile.
[[nodiscard]] machine_profile named_profile(const std::string& name);

/// The profile that is kept for the device; where there is none, or it is stale or cannot be read,
/// one that is measured now and kept. Says on standard error what it does and why.
[[nodiscard]] machine_profile profile_of_this_machine(const device& where);

/// The profile that is kept for the device, or why it cannot be used: there is none, it is stale,
/// or it cannot be read. Measures nothing.
[[nodiscard]] std::optional<machine_profile> kept_profile(const device& where, std::string& why);

/// Calibrates with a progress bar; a signal ends it with failure.
[[nodiscard]] machine_profile measured_profile(const device& where, calibration_depth depth);

/// "NVIDIA H200, PCIe 5 x16, driver 580.159.04; measured quickly on 2026-11-30", and for a CPU
/// device what its times do not say.
[[nodiscard]] std::string profile_text(const machine_profile& profile);

}  // namespace pinhole::tool
