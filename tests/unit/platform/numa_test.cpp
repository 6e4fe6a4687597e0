// Lists of CPUs as the kernel writes them.
#include "platform/linux/numa.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "platform/linux/machine.hpp"
#include "tests/support/os.hpp"

namespace pinhole::platform {
namespace {

using cpus = std::vector<unsigned>;

TEST(Numa, ReadsRangesAndSingleCpus) {
  const test::fake_system system;
  const auto list = [&](const char* text) {
    system.write("/sys/devices/system/node/node3/cpulist", text);
    return cpus_of_node(3);
  };
  EXPECT_EQ(list("0-3,8\n"), (cpus{0, 1, 2, 3, 8}));
  EXPECT_EQ(list("5\n"), (cpus{5}));
  EXPECT_EQ(list("1,3-4,6\n"), (cpus{1, 3, 4, 6}));
  EXPECT_EQ(list("\n"), cpus{}) << "a node of memory alone";
  EXPECT_EQ(list("4-2\n"), cpus{});
  EXPECT_EQ(list("0-99999999999\n"), cpus{});
  EXPECT_EQ(list("2,x\n"), (cpus{2}));
  EXPECT_EQ(cpus_of_node(7), cpus{});
}

TEST(Numa, KeepsTheThreadWhereItIsWhenTheNodeHasNoneOfItsCpus) {
  const test::fake_system system;
  system.write("/sys/devices/system/node/node0/cpulist", "1000\n");
  std::thread([] {
    const auto before = describe_machine().logical_cpus;
    run_on_node(0);
    run_on_node(5);
    EXPECT_EQ(describe_machine().logical_cpus, before);
  }).join();
}

TEST(Numa, MovesTheThreadToTheNode) {
  const test::fake_system system;
  std::string all;
  for (int cpu = 0; cpu < 1000; ++cpu) {
    all += std::to_string(cpu) + ",";
  }
  system.write("/sys/devices/system/node/node0/cpulist", all + "1000\n");
  std::thread([] {
    const auto before = describe_machine().logical_cpus;
    run_on_node(0);
    EXPECT_EQ(describe_machine().logical_cpus, before) << "all of them are next to it";
  }).join();
}

}  // namespace
}  // namespace pinhole::platform
