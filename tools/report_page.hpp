// One self-contained page of HTML.
#pragma once

#include <string>

#include "pinhole/platform/device.hpp"
#include "tools/support/report.hpp"

namespace pinhole::tool {

/// Throws failure when the charts' library was not there when this program was built.
void require_charts();

/// The page with its style, its script, the charts' library and `data` in it: it loads nothing.
[[nodiscard]] std::string report_page(const json& data);

/// Tries whether the page can be made and written, so that nothing is measured in vain; throws
/// failure naming `option`.
void require_page(const std::string& option, const std::string& file);

/// Writes the page of one run of `compare`. What the model says is on it where the device has a
/// profile that is not stale.
void write_page(const std::string& file, const json& report, const device& where);

}  // namespace pinhole::tool
