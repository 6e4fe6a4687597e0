// Standard output and error, in children whose streams are closed, full or nobody's.
#include "platform/linux/standard_streams.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <stdexcept>
#include <string>

#include "tests/support/expect_error.hpp"
#include "tests/support/os.hpp"

namespace pinhole::platform {
namespace {

void demand(bool holds, const char* what) {
  if (!holds) {
    throw std::runtime_error(what);
  }
}

/// The status of the error that writing to standard output throws; empty when it works.
std::string failure_of_a_write() {
  try {
    write_all(standard_stream::output, "text");
    return {};
  } catch (const error& failure) {
    demand(failure.kind() == fault::io, "not an io error");
    demand(failure.asked() == "write to standard output", "the stream is not named");
    return failure.status();
  }
}

TEST(StandardStreams, WriteEverythingPastTheBuffers) {
  const auto child = test::in_forked_child([] {
    write_all(standard_stream::output, "out ");
    write_all(standard_stream::error, "and error");
    write_all(standard_stream::output, "");
  });
  EXPECT_EQ(child.exit_code, 0);
  EXPECT_EQ(child.output, "out and error");
}

TEST(StandardStreams, ThatArePipesAreNoTerminalsAndHaveNoColumns) {
  const auto child = test::in_forked_child([] {
    demand(!is_terminal(standard_stream::output), "a pipe is no terminal");
    demand(terminal_columns(standard_stream::output) == 0, "a pipe has no width");
  });
  EXPECT_EQ(child.exit_code, 0) << child.output;
}

TEST(StandardStreams, ReportAClosedOneEvenAfterAFileWasOpened) {
  const auto child = test::in_forked_child([] {
    close(STDOUT_FILENO);
    prepare_standard_streams();
    const int file = open("/dev/null", O_WRONLY | O_CLOEXEC);
    demand(file > 2, "a file must not take the number of standard output");
    demand(failure_of_a_write().starts_with("EBADF"), "a closed stream must be noticed");
  });
  EXPECT_EQ(child.exit_code, 0) << child.output;
}

TEST(StandardStreams, ReportAFullDisk) {
  const auto child = test::in_forked_child([] {
    const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    if (full < 0) {
      return;  // no such device here
    }
    dup2(full, STDOUT_FILENO);
    demand(failure_of_a_write().starts_with("ENOSPC"), "a full disk must be noticed");
  });
  EXPECT_EQ(child.exit_code, 0) << child.output;
}

TEST(StandardStreams, ReportAPipeThatNobodyReadsInsteadOfEnding) {
  const auto child = test::in_forked_child([] {
    std::array<int, 2> ends{};
    demand(pipe(ends.data()) == 0, "pipe failed");
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    prepare_standard_streams();
    demand(failure_of_a_write().starts_with("EPIPE"), "the missing reader must be noticed");
  });
  EXPECT_EQ(child.exit_code, 0) << child.output;
}

}  // namespace
}  // namespace pinhole::platform
