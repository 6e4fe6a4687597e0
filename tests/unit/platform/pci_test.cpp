// What is read from sysfs about a GPU's link, over a made-up system.
#include "platform/linux/pci.hpp"

#include <gtest/gtest.h>

#include "pinhole/core/units.hpp"
#include "tests/support/os.hpp"

namespace pinhole::platform {
namespace {

const std::string gpu = "/sys/bus/pci/devices/0000:0a:00.0";

TEST(Pci, ReadsLinkNodeAndBar1) {
  const test::fake_system system;
  system.write(gpu + "/current_link_speed", "32.0 GT/s PCIe\n");
  system.write(gpu + "/current_link_width", "16\n");
  system.write(gpu + "/numa_node", "1\n");
  system.write(gpu + "/resource",
               "0x00000000a0000000 0x00000000a0ffffff 0x0000000000040200\n"
               "0x0000004000000000 0x0000007fffffffff 0x000000000014220c\n"
               "0x0000000000000000 0x0000000000000000 0x0000000000000000\n");
  const auto facts = read_pci("0000:0A:00.0");  // CUDA writes the id in upper case
  EXPECT_EQ(facts.generation, 5);
  EXPECT_EQ(facts.width, 16);
  EXPECT_EQ(facts.numa_node, 1);
  EXPECT_EQ(facts.bar1_bytes, 256_GiB);
  EXPECT_EQ(facts.missing, "");
}

TEST(Pci, FindsTheWindowBehindA64BitRegisterRegion) {
  const test::fake_system system;
  system.write(gpu + "/resource",  // as an H200 shows it: each 64-bit region takes two lines
               "0x000000c100000000 0x000000c103ffffff 0x000000000014220c\n"
               "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
               "0x0000008000000000 0x000000bfffffffff 0x000000000014220c\n"
               "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
               "0x000000c104000000 0x000000c105ffffff 0x000000000014220c\n");
  EXPECT_EQ(read_pci("0000:0a:00.0").bar1_bytes, 256_GiB);
}

TEST(Pci, KnowsEveryGeneration) {
  const test::fake_system system;
  system.write(gpu + "/current_link_width", "8");
  const char* const speeds[] = {"2.5 GT/s PCIe",  "5.0 GT/s PCIe",  "8.0 GT/s PCIe",
                                "16.0 GT/s PCIe", "32.0 GT/s PCIe", "64.0 GT/s PCIe"};
  for (int generation = 1; generation <= 6; ++generation) {
    system.write(gpu + "/current_link_speed", speeds[generation - 1]);
    EXPECT_EQ(read_pci("0000:0a:00.0").generation, generation);
  }
}

TEST(Pci, SaysWhatIsMissingOnAVirtualLink) {
  const test::fake_system system;
  system.write(gpu + "/current_link_speed", "Unknown\n");
  system.write(gpu + "/current_link_width", "0\n");
  system.write(gpu + "/numa_node", "-1\n");
  system.write(gpu + "/resource", "nonsense\n");
  const auto facts = read_pci("0000:0a:00.0");
  EXPECT_FALSE(facts.generation);
  EXPECT_FALSE(facts.width);
  EXPECT_FALSE(facts.numa_node) << "-1 says that the firmware does not know";
  EXPECT_FALSE(facts.bar1_bytes);
  EXPECT_NE(facts.missing, "");
}

TEST(Pci, SaysThatThereIsNoSuchDevice) {
  const test::fake_system nothing;
  const auto facts = read_pci("0000:ff:00.0");
  EXPECT_FALSE(facts.generation);
  EXPECT_FALSE(facts.bar1_bytes);
  EXPECT_NE(facts.missing.find("0000:ff:00.0"), std::string::npos) << facts.missing;
}

TEST(Pci, ReadsTheDriversVersion) {
  const test::fake_system system;
  EXPECT_EQ(nvidia_driver_version(), "");
  system.write("/sys/module/nvidia/version", "580.159.04\n");
  EXPECT_EQ(nvidia_driver_version(), "580.159.04");
}

TEST(Pci, NoticesAGpuWithoutADriver) {
  const test::fake_system system;
  EXPECT_FALSE(has_nvidia_gpu());
  system.write("/sys/bus/pci/devices/0000:00:01.0/vendor", "0x8086\n");
  system.write("/sys/bus/pci/devices/0000:00:01.0/class", "0x030000\n");
  EXPECT_FALSE(has_nvidia_gpu()) << "another vendor's display";
  system.write("/sys/bus/pci/devices/0000:00:02.0/vendor", "0x10de\n");
  system.write("/sys/bus/pci/devices/0000:00:02.0/class", "0x040300\n");
  EXPECT_FALSE(has_nvidia_gpu()) << "NVIDIA's audio device";
  system.write(gpu + "/vendor", "0x10de\n");
  system.write(gpu + "/class", "0x030200\n");
  EXPECT_TRUE(has_nvidia_gpu());
}

}  // namespace
}  // namespace pinhole::platform
