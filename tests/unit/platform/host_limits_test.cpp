// What is read from /proc and the cgroup files, over a made-up system.
#include "platform/linux/host_limits.hpp"

#include <gtest/gtest.h>

#include "pinhole/core/units.hpp"
#include "tests/support/os.hpp"

namespace pinhole::platform {
namespace {

TEST(HostLimits, ReadTotalAndAvailableMemory) {
  const test::fake_system system;
  system.write("/proc/meminfo",
               "MemTotal:       16384 kB\nMemFree:  5 kB\nMemAvailable:   8192 kB\n");
  EXPECT_EQ(total_memory(), 16_MiB);
  EXPECT_EQ(available_memory(), 8_MiB);
}

TEST(HostLimits, WorkWithoutProc) {
  const test::fake_system nothing;
  EXPECT_GT(total_memory(), 0U) << "sysconf knows it too";
  EXPECT_FALSE(available_memory());
  EXPECT_FALSE(cgroup_memory_limit());
  EXPECT_FALSE(locked_memory());
}

TEST(HostLimits, SurviveNonsense) {
  const test::fake_system system;
  system.write("/proc/meminfo", "MemTotal\nMemTotal: many kB\nMemAvailable:\n");
  system.write("/proc/self/cgroup", "\nno colons\n0:half\n::\n0::relative\n");
  system.write("/sys/fs/cgroup/memory.max", "plenty\n");
  EXPECT_GT(total_memory(), 0U);
  EXPECT_FALSE(available_memory());
  EXPECT_FALSE(cgroup_memory_limit());
}

TEST(HostLimits, FindTheSmallestLimitOfAllV2Ancestors) {
  const test::fake_system system;
  system.write("/proc/self/cgroup", "0::/user.slice/session.scope\n");
  system.write("/sys/fs/cgroup/user.slice/session.scope/memory.max", "max\n");
  EXPECT_FALSE(cgroup_memory_limit()) << "'max' is no limit";

  system.write("/sys/fs/cgroup/user.slice/memory.max", "1048576\n");
  ASSERT_TRUE(cgroup_memory_limit());
  EXPECT_EQ(cgroup_memory_limit()->bytes, 1_MiB);
  EXPECT_EQ(cgroup_memory_limit()->source, "/sys/fs/cgroup/user.slice/memory.max");

  system.write("/sys/fs/cgroup/user.slice/session.scope/memory.max", "2097152\n");
  EXPECT_EQ(cgroup_memory_limit()->bytes, 1_MiB) << "an ancestor's smaller limit counts";

  system.write("/sys/fs/cgroup/memory.max", "4096\n");
  EXPECT_EQ(cgroup_memory_limit()->bytes, 4096U) << "the root of a container has a limit too";
}

TEST(HostLimits, FindTheSmallestLimitOfAllV1Ancestors) {
  const test::fake_system system;
  system.write("/proc/self/cgroup",
               "11:cpu,cpuacct:/a\n7:hugetlb,memory:/docker/abc\n1:name=systemd:/x\n");
  system.write("/sys/fs/cgroup/memory/docker/abc/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_FALSE(cgroup_memory_limit()) << "v1 says 'no limit' with a number near 2^63";

  system.write("/sys/fs/cgroup/memory/docker/memory.limit_in_bytes", "8388608\n");
  ASSERT_TRUE(cgroup_memory_limit());
  EXPECT_EQ(cgroup_memory_limit()->bytes, 8_MiB);
  EXPECT_EQ(cgroup_memory_limit()->source, "/sys/fs/cgroup/memory/docker/memory.limit_in_bytes");
}

TEST(HostLimits, TakeTheSmallerOfV1AndV2) {
  const test::fake_system system;
  system.write("/proc/self/cgroup", "4:memory:/one\n0::/two\n");
  system.write("/sys/fs/cgroup/memory/one/memory.limit_in_bytes", "9223372036854771712\n");
  system.write("/sys/fs/cgroup/two/memory.max", "65536\n");
  ASSERT_TRUE(cgroup_memory_limit());
  EXPECT_EQ(cgroup_memory_limit()->bytes, 64_KiB);
}

TEST(HostLimits, CountLockedAndPinnedPages) {
  const test::fake_system system;
  system.write("/proc/self/status", "Name:\tx\nVmLck:\t      4 kB\nVmPin:\t     12 kB\n");
  EXPECT_EQ(locked_memory(), 16_KiB);
}

TEST(HostLimits, OfThisMachineMakeSense) {
  EXPECT_EQ(system_root(), "");
  EXPECT_GT(total_memory(), 64_MiB);
  if (const auto available = available_memory()) {
    EXPECT_LE(*available, total_memory());
  }
  EXPECT_FALSE(read_system_file("/there/is/no/such/file"));
}

}  // namespace
}  // namespace pinhole::platform
