// The roads to VRAM, each closed at every step that it takes.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

#include "platform/linux/shared_library.hpp"
#include "platform/vram/coherent_road.hpp"
#include "platform/vram/dma_buf_road.hpp"
#include "platform/vram/gdrcopy_road.hpp"
#include "tests/support/fake_gpu.hpp"
#include "tests/support/os.hpp"

namespace pinhole::platform {
namespace {

using test::environment;
using test::fake_gpu;

constexpr const char* fake_gdrapi = PINHOLE_FAKE_GDRAPI_LIBRARY;

void expect_closed(road& tried, const std::string& reason) {
  const auto found = tried.probe();
  EXPECT_FALSE(found.open);
  EXPECT_NE(found.open.reason.find(reason), std::string::npos)
      << tried.name() << ": " << found.open.reason;
}

/// Maps a little; what each side writes the other reads; unmaps.
void expect_to_share(road& open, fake_gpu& gpu, bool write_combining) {
  vram_block block;
  ASSERT_TRUE(open.map(5000, block).ok());
  EXPECT_EQ(block.write_combining, write_combining);
  std::vector<char> ours(5000, 'a');
  std::vector<char> theirs(5000);
  std::memcpy(block.host, ours.data(), ours.size());
  ASSERT_TRUE(gpu.copy_to_host(theirs.data(), block.on_device, theirs.size()).ok());
  EXPECT_EQ(theirs, ours);
  EXPECT_TRUE(open.unmap(block).ok());
}

/// Where the driver may not free, the block stays whole until it may.
void expect_to_keep_what_cannot_be_freed_now(road& open, fake_gpu& gpu) {
  vram_block block;
  ASSERT_TRUE(open.map(5000, block).ok());
  gpu.failing = "free";
  gpu.failure = outcome::not_permitted;
  EXPECT_EQ(open.unmap(block).what, outcome::not_permitted);
  std::memset(block.host, 1, 5000);
  gpu.failing = {};
  EXPECT_TRUE(open.unmap(block).ok());
}

TEST(CoherentRoad, IsForMachinesWhoseCpuReachesTheDevice) {
  fake_gpu gpu;
  coherent_road road(gpu);
  expect_closed(road, "cannot reach this device's memory by itself");
  gpu.coherent = true;
  gpu.failing = "is_coherent";
  expect_closed(road, "cannot reach this device's memory by itself");
  gpu.failing = {};
  EXPECT_TRUE(road.probe().open);
  expect_to_share(road, gpu, false);
  expect_to_keep_what_cannot_be_freed_now(road, gpu);
  EXPECT_EQ(gpu.live(), 0U);
}

TEST(CoherentRoad, IsClosedByEachStepThatFails) {
  for (const char* const step :
       {"allocate_managed", "prefer_device", "map_for_cpu", "move_to_device", "free"}) {
    fake_gpu gpu;
    gpu.coherent = true;
    gpu.failing = step;
    coherent_road road(gpu);
    expect_closed(road, std::string(step) + " failed with a fake reason");
    EXPECT_EQ(gpu.live(), 0U) << step;
  }
}

TEST(DmaBufRoad, IsOpenWhereTheFileCanBeMapped) {
  fake_gpu gpu;
  const auto files = test::open_files();
  dma_buf_road road(gpu);
  EXPECT_TRUE(road.probe().open);
  expect_to_share(road, gpu, true);
  expect_to_keep_what_cannot_be_freed_now(road, gpu);
  EXPECT_EQ(gpu.live(), 0U);
  EXPECT_EQ(test::open_files(), files);
}

TEST(DmaBufRoad, IsClosedByEachStepThatFails) {
  const auto files = test::open_files();
  for (const char* const step : {"allocate", "export_dma_buf", "free"}) {
    fake_gpu gpu;
    gpu.failing = step;
    gpu.failure = outcome::not_supported;
    dma_buf_road road(gpu);
    expect_closed(road, std::string(step) + " failed with a fake reason");
    EXPECT_NE(road.probe().open.remedy.find("driver 610"), std::string::npos);
    EXPECT_EQ(gpu.live(), 0U) << step;
  }
  EXPECT_EQ(test::open_files(), files);
}

TEST(DmaBufRoad, IsClosedWhereItsFileCannotBeMappedOrHasNoPages) {
  const auto files = test::open_files();
  fake_gpu gpu;
  dma_buf_road road(gpu);
  gpu.exports = fake_gpu::dma_buf::that_cannot_be_mapped;
  expect_closed(road, "mmap of a dma-buf failed with ENODEV");
  gpu.exports = fake_gpu::dma_buf::without_pages;
  expect_closed(road, "it can be mapped, and its pages cannot be had");
  EXPECT_EQ(gpu.live(), 0U);
  EXPECT_EQ(test::open_files(), files);
}

TEST(DmaBufRoad, TellsAFullAddressSpaceFromARoadThatIsClosed) {
  const auto files = test::open_files();
  fake_gpu gpu;
  dma_buf_road road(gpu);
  vram_block block;
  const auto result = road.map(std::size_t{1} << 60U, block);
  EXPECT_EQ(result.what, outcome::out_of_memory);
  EXPECT_STREQ(result.name, "ENOMEM");
  EXPECT_EQ(block.host, nullptr);
  EXPECT_EQ(gpu.live(), 0U);
  EXPECT_EQ(test::open_files(), files);
}

int live_in_gdrapi() {
  const shared_library fake(fake_gdrapi);
  return fake.symbol<int (*)()>("fake_gdrapi_live")();
}

TEST(GdrcopyRoad, IsClosedWhereItIsNotInstalled) {
  struct way {
    const char* library;
    const char* node;
    const char* reason;
  };
  for (const auto& one : {way{fake_gdrapi, "/dev/no-such-node", "there is no /dev/no-such-node"},
                          way{"libno-such-library.so", "/dev/null", "libno-such-library.so"},
                          way{"libm.so.6", "/dev/null", "lacks functions"}}) {
    fake_gpu gpu;
    gdrcopy_road road(gpu, one.library, one.node);
    expect_closed(road, one.reason);
    EXPECT_NE(road.probe().open.remedy.find("gdrdrv"), std::string::npos);
  }
}

TEST(GdrcopyRoad, IsClosedByEachStepThatFails) {
  struct way {
    const char* how;
    const char* reason;
  };
  for (const auto& one : {way{"no session", "gdr_open failed"}, way{"no pin", "gdr_pin_buffer"},
                          way{"no map", "gdr_map failed"}, way{"no unmap", "gdr_unmap failed"},
                          way{"no unpin", "gdr_unpin_buffer failed"}}) {
    const environment plan("PINHOLE_FAKE_GDRAPI", one.how);
    fake_gpu gpu;
    {
      gdrcopy_road road(gpu, fake_gdrapi, "/dev/null");
      expect_closed(road, one.reason);
    }
    EXPECT_EQ(gpu.live(), 0U) << one.how;
    EXPECT_EQ(live_in_gdrapi(), 0) << one.how;
  }
}

TEST(GdrcopyRoad, IsClosedByADeviceThatFails) {
  for (const char* const step : {"allocate", "free"}) {
    fake_gpu gpu;
    gpu.failing = step;
    {
      gdrcopy_road road(gpu, fake_gdrapi, "/dev/null");
      expect_closed(road, std::string(step) + " failed with a fake reason");
    }
    EXPECT_EQ(gpu.live(), 0U) << step;
    EXPECT_EQ(live_in_gdrapi(), 0) << step;
  }
}

TEST(GdrcopyRoad, IsOpenWhereItIsInstalled) {
  fake_gpu gpu;
  {
    gdrcopy_road road(gpu, fake_gdrapi, "/dev/null");
    EXPECT_TRUE(road.probe().open);
    expect_to_share(road, gpu, true);
    expect_to_keep_what_cannot_be_freed_now(road, gpu);
    EXPECT_EQ(live_in_gdrapi(), 1) << "the session";
  }
  EXPECT_EQ(live_in_gdrapi(), 0);
  EXPECT_EQ(gpu.live(), 0U);
}

TEST(RoadTrial, BelievesOnlyWhatBothSidesHaveSeen) {
  fake_gpu gpu;
  dma_buf_road road(gpu);
  gpu.device_is_blind = true;
  expect_closed(road, "the device does not see what the CPU wrote: at byte 0");
  gpu.device_is_blind = false;
  gpu.cpu_is_blind = true;
  expect_closed(road, "the CPU does not see what the device wrote: at byte 0");
  EXPECT_EQ(gpu.live(), 0U);
}

TEST(RoadTrial, SaysThatTheDeviceCannotUseTheMemory) {
  for (const char* const step : {"copy_to_host", "copy_to_device"}) {
    fake_gpu gpu;
    gpu.failing = step;
    dma_buf_road road(gpu);
    expect_closed(road, "the device cannot use it: copying failed with a fake reason");
    EXPECT_EQ(gpu.live(), 0U) << step;
  }
}

TEST(RoadTrial, SaysWhatWasExpectedAndWhatWasRead) {
  trial_words wanted{};
  wanted[3] = 0xabcdU;
  const trial_words nothing{};
  EXPECT_EQ(mismatch(64, wanted, nothing, wanted),
            ": at byte 76, 0x0000abcd was expected, 0x00000000 read, and 0x0000abcd 20 ms later");
  EXPECT_EQ(mismatch(64, wanted, wanted, wanted), "");
}

}  // namespace
}  // namespace pinhole::platform
