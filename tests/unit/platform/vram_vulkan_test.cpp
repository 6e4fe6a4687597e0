// The Vulkan road, closed at every step that it takes.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <ostream>
#include <stdexcept>
#include <string>

#include "platform/linux/mapping.hpp"
#include "platform/linux/shared_library.hpp"
#include "platform/vram/vulkan_memory.hpp"
#include "tests/support/os.hpp"

namespace pinhole::platform {
namespace {

using test::environment;

constexpr const char* fake_loader = PINHOLE_FAKE_VULKAN_LIBRARY;

device_uuid fake_device() {
  device_uuid uuid{};
  uuid.fill(7);
  return uuid;
}

int live_objects() {
  const shared_library fake(fake_loader);
  return fake.symbol<int (*)()>("fake_vulkan_live")();
}

struct closing {
  const char* how;
  const char* reason;
  const char* remedy;
};

void PrintTo(const closing& one, std::ostream* out) {
  *out << one.how;
}

class VulkanClosed : public testing::TestWithParam<closing> {};

INSTANTIATE_TEST_SUITE_P(
    AtEachStep, VulkanClosed,
    testing::Values(
        closing{"broken", "no vkCreateInstance", "libvulkan1"},
        closing{"no driver", "VK_ERROR_INCOMPATIBLE_DRIVER", "NVIDIA_DRIVER_CAPABILITIES"},
        closing{"older than 1.1", "older than Vulkan 1.1", "newer libvulkan1"},
        closing{"devices cannot be listed", "VK_ERROR_INITIALIZATION_FAILED", "VK_DRIVER_FILES"},
        closing{"no device", "lists no device", "graphics capability"},
        closing{"another device", "only other devices: a fake device", "graphics capability"},
        closing{"no extension", "cannot export", "newer driver"},
        closing{"no export", "cannot export", "newer driver"},
        closing{"dedicated only", "dedicated to one buffer", "another driver"},
        closing{"no logical device", "VK_ERROR_DEVICE_LOST", "driver"},
        closing{"lacks a function", "lacks functions", "driver"},
        closing{"no buffer", "VK_ERROR_OUT_OF_HOST_MEMORY", "driver"},
        closing{"no window", "visible to the CPU", "resizable BAR"}),
    [](const auto& one) {
      std::string name = one.param.how;
      std::erase_if(name, [](char c) { return c == ' ' || c == '.'; });
      return name;
    });

TEST_P(VulkanClosed, SaysWhatItLacksAndLeavesNothingBehind) {
  const environment plan("PINHOLE_FAKE_VULKAN", GetParam().how);
  {
    const vulkan_memory memory(fake_device(), fake_loader);
    EXPECT_FALSE(memory.open());
    EXPECT_NE(memory.open().reason.find(GetParam().reason), std::string::npos)
        << memory.open().reason;
    EXPECT_NE(memory.open().remedy.find(GetParam().remedy), std::string::npos)
        << memory.open().remedy;
    EXPECT_EQ(memory.window_bytes(), 0U);
  }
  EXPECT_EQ(live_objects(), 0);
}

TEST(VulkanMemory, IsClosedWithoutALoader) {
  const vulkan_memory none(fake_device(), "libno-such-vulkan.so.1");
  EXPECT_FALSE(none.open());
  EXPECT_NE(none.open().reason.find("libno-such-vulkan.so.1"), std::string::npos);
  EXPECT_NE(none.open().remedy.find("libvulkan1"), std::string::npos);
  const vulkan_memory another_library(fake_device(), "libm.so.6");
  EXPECT_NE(another_library.open().reason.find("broken"), std::string::npos);
}

TEST(VulkanMemory, TakesTheTypeThatBothSidesReachAndThatBuffersAllow) {
  vulkan_memory memory(fake_device(), fake_loader);
  ASSERT_TRUE(memory.open()) << memory.open().reason;
  EXPECT_EQ(memory.window_bytes(), 246U << 20U);
  EXPECT_TRUE(memory.write_combining());
  vulkan_block block;
  ASSERT_TRUE(memory.allocate(100'000, block).ok());
  EXPECT_EQ(block.bytes % 65536, 0U);
  EXPECT_GE(block.bytes, 100'000U);
  EXPECT_GE(block.file, 0);
  std::memset(block.host, 1, block.bytes);
  EXPECT_FALSE(test::in_forked_child([&] {
                 if (can_be_read(block.host)) {
                   throw std::runtime_error("the child has the mapping");
                 }
               }).exit_code);
  close_file(block.file);
  memory.free(block);
  EXPECT_EQ(live_objects(), 2) << "the instance and the device";
}

TEST(VulkanMemory, TakesATypeThatTheCpuSeesEvenWhenNoExportableBufferListsIt) {
  const environment plan("PINHOLE_FAKE_VULKAN", "unlisted window");
  vulkan_memory memory(fake_device(), fake_loader);
  ASSERT_TRUE(memory.open()) << memory.open().reason;
  vulkan_block block;
  ASSERT_TRUE(memory.allocate(5000, block).ok());
  close_file(block.file);
  memory.free(block);
}

TEST(VulkanMemory, UndoesEverythingWhenAStepOfAnAllocationFails) {
  vulkan_memory memory(fake_device(), fake_loader);
  ASSERT_TRUE(memory.open());
  const int before = live_objects();
  for (const char* const step : {"no memory", "no address space", "no descriptor"}) {
    const environment plan("PINHOLE_FAKE_VULKAN", step);
    vulkan_block block;
    const auto result = memory.allocate(5000, block);
    EXPECT_EQ(result.what, outcome::out_of_memory) << step << ": " << result.name;
    EXPECT_EQ(block.host, nullptr);
    EXPECT_EQ(live_objects(), before) << step;
  }
}

TEST(VulkanMemory, RefusesMoreThanTheWindow) {
  vulkan_memory memory(fake_device(), fake_loader);
  vulkan_block block;
  const auto result = memory.allocate((246U << 20U) + 1, block);
  EXPECT_EQ(result.what, outcome::out_of_memory);
  EXPECT_STREQ(result.name, "more than the CPU's window");
}

}  // namespace
}  // namespace pinhole::platform
