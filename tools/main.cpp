// The pinhole program.
#include <string>
#include <vector>

#include "platform/linux/standard_streams.hpp"
#include "scenarios/scenario.hpp"
#include "tools/tool.hpp"

int main(int argc, char** argv) {
  pinhole::platform::prepare_standard_streams();
  return pinhole::tool::run(std::vector<std::string>(argv, argv + argc), pinhole::scenarios::all());
}
