// Asks the kernel, not stdio: stdio reports a full disk when nobody listens any more.
#include "platform/linux/standard_streams.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <string>

#include "platform/linux/system_error.hpp"

namespace pinhole::platform {

bool is_terminal(standard_stream which) noexcept {
  return isatty(static_cast<int>(which)) == 1;
}

unsigned terminal_columns(standard_stream which) noexcept {
  winsize size{};
  return ioctl(static_cast<int>(which), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void write_all(standard_stream which, std::string_view text) {
  while (!text.empty()) {
    const auto written = write(static_cast<int>(which), text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      const std::string name =
          which == standard_stream::output ? "standard output" : "standard error";
      throw system_error("write to " + name, "write", errno);
    }
  }
}

void prepare_standard_streams() noexcept {
  for (int number = 0; number <= 2; ++number) {
    if (fcntl(number, F_GETFD) == -1) {
      // The lowest free number is this one. Standard input gets a write-only file and the others a
      // read-only one: occupied, and still of no use.
      (void)open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY);
    }
  }
  (void)std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace pinhole::platform
