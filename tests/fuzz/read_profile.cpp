// Feeds bytes to the reader of profiles: whatever they are, it reads them or refuses them, and what
// it reads it writes and reads again the same. A fuzzer where clang's libFuzzer is linked; with a
// main of its own otherwise, which replays the files of a corpus.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "pinhole/advice/machine_profile.hpp"
#include "pinhole/core/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  std::string written;
  try {
    written = pinhole::to_json(pinhole::read_profile(text));
  } catch (const pinhole::error& refused) {
    // Nothing but this, and never without saying what is allowed.
    if (refused.kind() != pinhole::fault::invalid_argument ||
        std::string_view(refused.what()).find("; ") == std::string_view::npos) {
      std::abort();
    }
    return 0;
  }
  if (pinhole::to_json(pinhole::read_profile(written)) != written) {
    std::abort();
  }
  return 0;
}
