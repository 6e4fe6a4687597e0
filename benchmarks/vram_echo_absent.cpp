// A CPU-only build has no device memory to write to.
#include "benchmarks/vram_echo.hpp"
#include "pinhole/platform/launch.hpp"

namespace pinhole::measure {

void start_echo(const stream_ref& work, const echo_desk& /*desk*/) {
  launch_request request;
  request.name = "echo";
  launch(work, request);  // which says that there is no code for the device
}

}  // namespace pinhole::measure
