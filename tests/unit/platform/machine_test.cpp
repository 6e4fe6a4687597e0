// Machine facts and the names of system errors.
#include "platform/linux/machine.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "platform/linux/system_error.hpp"
#include "tests/support/os.hpp"

namespace pinhole::platform {
namespace {

TEST(Machine, IsDescribedWithoutItsName) {
  const test::fake_system system;
  system.write("/proc/cpuinfo", "processor\t: 0\nmodel name\t: Fast CPU 9000\nmodel name\t: no\n");
  const auto facts = describe_machine();
  EXPECT_EQ(facts.cpu, "Fast CPU 9000");
  EXPECT_TRUE(facts.kernel.starts_with("Linux ")) << facts.kernel;
  EXPECT_EQ(facts.kernel.find('-'), std::string::npos) << "a builder's suffix: " << facts.kernel;
  EXPECT_GE(facts.logical_cpus, 1U);
}

TEST(Machine, IsDescribedWithoutProc) {
  const test::fake_system nothing;
  EXPECT_EQ(describe_machine().cpu, "");
}

TEST(SystemError, NamesTheCallAndTheErrno) {
  const auto made = system_error("write 'x'", "write", ENOSPC, "free some space");
  EXPECT_EQ(made.kind(), fault::io);
  EXPECT_STREQ(made.what(),
               "cannot write 'x': write failed with ENOSPC (No space left on device); free some "
               "space");
}

TEST(SystemError, NamesAnUnknownErrnoByItsNumber) {
  EXPECT_EQ(system_error("read", "read", 9999).status(), "errno 9999");
}

}  // namespace
}  // namespace pinhole::platform
