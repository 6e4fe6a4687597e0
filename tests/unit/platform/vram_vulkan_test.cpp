// The Vulkan road, closed at every step that it takes.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "platform/linux/mapping.hpp"
#include "platform/linux/shared_library.hpp"
#include "platform/vram/coherent_road.hpp"
#include "platform/vram/dma_buf_road.hpp"
#include "platform/vram/gdrcopy_road.hpp"
#include "platform/vram/road_chooser.hpp"
#include "platform/vram/vulkan_memory.hpp"
#include "platform/vram/vulkan_road.hpp"
#include "tests/support/fake_gpu.hpp"
#include "tests/support/os.hpp"

namespace pinhole::platform {
namespace {

using test::environment;
using test::fake_gpu;

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
  const auto child = test::in_forked_child([&] {
    // A sanitizer may have put something else there by now, so what is read counts.
    if (can_be_read(block.host) && *reinterpret_cast<const unsigned char*>(block.host) == 1) {
      throw std::runtime_error("the child has the mapping");
    }
  });
  EXPECT_EQ(child.exit_code, 0) << child.output;
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

TEST(VulkanRoad, SharesMemoryAndLeavesNothingBehind) {
  const auto files = test::open_files();
  fake_gpu gpu;
  {
    vulkan_road road(gpu, fake_loader);
    const auto found = road.probe();
    ASSERT_TRUE(found.open) << found.open.reason;
    EXPECT_EQ(found.open.reason, "");
    vram_block block;
    ASSERT_TRUE(road.map(100'000, block).ok());
    EXPECT_TRUE(block.write_combining);
    std::memset(block.host, 9, 100'000);
    std::vector<std::uint8_t> got(100'000);
    ASSERT_TRUE(gpu.copy_to_host(got.data(), block.on_device, got.size()).ok());
    EXPECT_EQ(got, std::vector<std::uint8_t>(100'000, 9));
    EXPECT_TRUE(road.unmap(block).ok());
  }
  EXPECT_EQ(gpu.live(), 0U);
  EXPECT_EQ(live_objects(), 0);
  EXPECT_EQ(test::open_files(), files);
}

TEST(VulkanRoad, IsClosedByEachStepOfTheImportThatFails) {
  const auto files = test::open_files();
  for (const char* const step : {"identify", "import_file", "map_import", "drop_import", "free"}) {
    fake_gpu gpu;
    gpu.failing = step;
    {
      vulkan_road road(gpu, fake_loader);
      const auto found = road.probe();
      EXPECT_FALSE(found.open) << step;
      EXPECT_EQ(found.open.reason, std::string(step) + " failed with a fake reason");
    }
    EXPECT_EQ(gpu.live(), 0U) << step;
    EXPECT_EQ(live_objects(), 0) << step;
    EXPECT_EQ(test::open_files(), files) << step;
  }
}

TEST(VulkanRoad, NamesTheSizeOfTheBarWhenItIsClosed) {
  fake_gpu gpu;
  gpu.identity.bar1_bytes = std::uint64_t{256} << 20U;
  const environment plan("PINHOLE_FAKE_VULKAN", "no window");
  const auto found = vulkan_road(gpu, fake_loader).probe();
  EXPECT_EQ(found.open.reason, "no memory of the device is visible to the CPU (BAR1 is 256 MiB)");
}

TEST(VulkanRoad, NamesTheSizeOfAWindowThatShowsLessThanHalfOfTheCard) {
  fake_gpu gpu;
  gpu.identity.memory_bytes = std::uint64_t{16} << 30U;
  const auto found = vulkan_road(gpu, fake_loader).probe();
  EXPECT_TRUE(found.open);
  EXPECT_EQ(found.open.reason, "a window of 246 MiB");
  EXPECT_NE(found.open.remedy.find("resizable BAR"), std::string::npos);
  EXPECT_EQ(found.window_bytes, 246U << 20U);
}

TEST(VulkanRoad, KeepsABlockThatCannotBeFreedNow) {
  fake_gpu gpu;
  vulkan_road road(gpu, fake_loader);
  ASSERT_TRUE(road.probe().open);
  vram_block block;
  ASSERT_TRUE(road.map(5000, block).ok());
  gpu.failing = "free";
  gpu.failure = outcome::not_permitted;
  EXPECT_EQ(road.unmap(block).what, outcome::not_permitted);
  std::memset(block.host, 1, 5000);
  gpu.failing = {};
  EXPECT_TRUE(road.unmap(block).ok());
  EXPECT_EQ(gpu.live(), 0U);
}

TEST(VulkanRoad, TouchesNoHandleThatAResetOfTheDeviceTookAway) {
  const auto files = test::open_files();
  fake_gpu gpu;
  {
    vulkan_road road(gpu, fake_loader);
    ASSERT_TRUE(road.probe().open);
    vram_block block;
    ASSERT_TRUE(road.map(5000, block).ok());
    gpu.reset();
    std::memset(block.host, 1, 5000);  // the mapping is Vulkan's
    EXPECT_EQ(road.unmap(block).what, outcome::invalid_value);
    ASSERT_TRUE(road.map(5000, block).ok()) << "and the road stays open";
    EXPECT_TRUE(road.unmap(block).ok());
  }
  EXPECT_EQ(live_objects(), 0);
  EXPECT_EQ(test::open_files(), files);
}

/// The name of the road that a machine's chooser takes, and "none".
std::string taken(fake_gpu& gpu) {
  std::vector<std::unique_ptr<road>> in_order;
  in_order.push_back(std::make_unique<coherent_road>(gpu));
  in_order.push_back(std::make_unique<dma_buf_road>(gpu));
  in_order.push_back(std::make_unique<vulkan_road>(gpu, fake_loader));
  in_order.push_back(std::make_unique<gdrcopy_road>(gpu, PINHOLE_FAKE_GDRAPI_LIBRARY, "/dev/null"));
  road_chooser chooser(std::move(in_order));
  for (const auto& one : chooser.roads()) {
    if (one.open) {
      return one.name;
    }
  }
  return "none";
}

TEST(Roads, FollowEachOtherAsOneAfterTheOtherCloses) {
  fake_gpu gpu;
  gpu.coherent = true;
  EXPECT_EQ(taken(gpu), "coherent link");
  gpu.coherent = false;
  EXPECT_EQ(taken(gpu), "dma-buf");
  gpu.exports = fake_gpu::dma_buf::that_cannot_be_mapped;
  EXPECT_EQ(taken(gpu), "Vulkan");
  const environment vulkan("PINHOLE_FAKE_VULKAN", "another device");
  EXPECT_EQ(taken(gpu), "GDRCopy");
  const environment gdrcopy("PINHOLE_FAKE_GDRAPI", "no session");
  EXPECT_EQ(taken(gpu), "none");
  EXPECT_EQ(gpu.live(), 0U);
}

}  // namespace
}  // namespace pinhole::platform
