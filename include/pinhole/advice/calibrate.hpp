// Measures what advice needs to know about a machine.
#pragma once

#include <functional>
#include <string_view>

#include "pinhole/advice/machine_profile.hpp"
#include "pinhole/platform/device.hpp"

namespace pinhole {

/// Quick takes a few seconds, at most 10; full takes more samples and larger footprints, at most
/// three minutes.
enum class calibration_depth { quick, full };

struct calibration_options {
  calibration_depth depth = calibration_depth::quick;
  /// Called between measurements with what comes next and the share that is done, 0 to 1. What it
  /// throws ends the calibration.
  std::function<void(std::string_view what, double done)> progress = {};
};

/// Measures `where`, which should be idle. Pins at most half of what the pin budget has left.
/// Placements that the machine does not have are left out. Throws what the driver reports,
/// fault::over_budget where nothing at all may be pinned, and fault::timed_out when the device does
/// not answer.
[[nodiscard]] machine_profile calibrate(const device& where,
                                        const calibration_options& options = {});

namespace advice {

/// Turns a profile into the numbers that the lower layers decide by, and gives them to the device.
/// Throws fault::invalid_argument for the profile of another machine.
tuning apply(const machine_profile& profile, const device& where);

}  // namespace advice

}  // namespace pinhole
