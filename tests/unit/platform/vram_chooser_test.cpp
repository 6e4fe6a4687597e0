// Which road is taken, when roads are closed.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "pinhole/memory/vram_buffer.hpp"
#include "platform/linux/host_limits.hpp"
#include "platform/vram/road_chooser.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/faulty_backend.hpp"
#if !defined(PINHOLE_CPU_ONLY)
#include "platform/cuda/cuda_calls.hpp"
#include "platform/vram/gpu_roads.hpp"
#endif

namespace pinhole {
namespace {

using platform::outcome;
using platform::road_chooser;
using platform::road_state;
using platform::status;

/// A road as a test wants it. It maps ordinary memory.
class fake_road final : public platform::road {
 public:
  struct plan {
    const char* name = "a road";
    road_state state;
    bool throws = false;
    outcome mapping = outcome::ok;
  };
  explicit fake_road(plan how) : how_(std::move(how)) {}

  [[nodiscard]] const char* name() const noexcept override { return how_.name; }
  [[nodiscard]] road_state probe() override {
    ++probes;
    if (how_.throws) {
      throw std::runtime_error("it broke while it was tried");
    }
    return how_.state;
  }
  status map(std::size_t bytes, platform::vram_block& out) override {
    if (how_.mapping != outcome::ok) {
      return {how_.mapping, "map of a fake road", "a fake reason"};
    }
    ++mapped;
    out = {.host = new std::byte[bytes], .handle = this};
    out.on_device = out.host;
    return {};
  }
  status unmap(const platform::vram_block& block) override {
    --mapped;
    EXPECT_EQ(block.handle, this) << "a block went back by another road";
    delete[] static_cast<std::byte*>(block.host);
    return {};
  }

  int probes = 0;
  int mapped = 0;

 private:
  plan how_;
};

const road_state open_road{.open = {true, "", ""}};
road_state closed(const char* reason, const char* remedy) {
  return {.open = {false, reason, remedy}};
}

/// The roads of a chooser, and hands on them.
struct roads_of_test {
  explicit roads_of_test(const std::vector<fake_road::plan>& plans) {
    std::vector<std::unique_ptr<platform::road>> made;
    for (const auto& one : plans) {
      auto next = std::make_unique<fake_road>(one);
      all.push_back(next.get());
      made.push_back(std::move(next));
    }
    chooser = std::make_unique<road_chooser>(std::move(made));
  }
  std::vector<fake_road*> all;
  std::unique_ptr<road_chooser> chooser;
};

TEST(RoadChooser, TakesTheFirstRoadThatIsOpen) {
  for (std::size_t open = 0; open < 4; ++open) {
    std::vector<fake_road::plan> plans;
    for (std::size_t i = 0; i < 4; ++i) {
      plans.push_back({.state = i >= open ? open_road : closed("shut", "open it")});
    }
    roads_of_test roads(plans);
    platform::vram_block block;
    ASSERT_TRUE(roads.chooser->map(100, block).ok());
    EXPECT_EQ(block.handle, roads.all[open]);
    EXPECT_TRUE(roads.chooser->unmap(block).ok());
    EXPECT_EQ(roads.all[open]->mapped, 0);
  }
}

TEST(RoadChooser, ProbesEachRoadOnceFromWhateverThread) {
  roads_of_test roads({{.state = closed("shut", "")}, {.state = open_road}});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { EXPECT_EQ(roads.chooser->roads().size(), 2U); });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(roads.all[0]->probes, 1);
  EXPECT_EQ(roads.all[1]->probes, 1);
}

TEST(RoadChooser, TakesARoadThatBreaksWhileItIsTriedForClosed) {
  roads_of_test roads({{.name = "broken", .state = open_road, .throws = true},
                       {.name = "good", .state = open_road}});
  const auto& found = roads.chooser->roads();
  EXPECT_EQ(found[0].name, "broken");
  EXPECT_FALSE(found[0].open);
  EXPECT_EQ(found[0].open.reason, "it broke while it was tried");
  EXPECT_TRUE(found[1].open);
}

TEST(RoadChooser, KeepsToItsRoadWhenMemoryIsShort) {
  roads_of_test roads(
      {{.state = open_road, .mapping = outcome::out_of_memory}, {.state = open_road}});
  platform::vram_block block;
  EXPECT_EQ(roads.chooser->map(100, block).what, outcome::out_of_memory);
  EXPECT_EQ(roads.all[1]->mapped, 0);
}

TEST(RoadChooser, SaysSoWhenNoRoadIsOpen) {
  roads_of_test roads({{.state = closed("shut", "open it")}});
  platform::vram_block block;
  EXPECT_EQ(roads.chooser->map(100, block).what, outcome::not_supported);
  EXPECT_EQ(block.host, nullptr);
}

TEST(RoadSummary, NamesTheRoadThatIsTaken) {
  const auto said = summary({{"dma-buf", {false, "ENOTSUPP", "a newer driver"}, 0},
                             {"Vulkan", {true, "", ""}, 1000},
                             {"GDRCopy", {true, "", ""}, 0}});
  EXPECT_TRUE(said);
  EXPECT_EQ(said.reason, "through Vulkan");
}

TEST(RoadSummary, TellsHowLargeASmallWindowIs) {
  const auto said =
      summary({{"Vulkan", {true, "a window of 246 MiB", "switch on resizable BAR"}, 246_MiB}});
  EXPECT_EQ(said.reason, "through Vulkan (a window of 246 MiB)");
  EXPECT_EQ(said.remedy, "switch on resizable BAR");
}

TEST(RoadSummary, OfClosedRoadsListsWhatEachLacksAndWhatWouldOpenIt) {
  const auto said = summary({{"dma-buf", {false, "ENOTSUPP", "use driver 610"}, 0},
                             {"coherent link", {false, "no such link", ""}, 0},
                             {"Vulkan", {false, "no loader", "install libvulkan1"}, 0}});
  EXPECT_FALSE(said);
  EXPECT_EQ(said.reason, "dma-buf: ENOTSUPP; coherent link: no such link; Vulkan: no loader");
  EXPECT_EQ(said.remedy, "use driver 610; or for Vulkan, install libvulkan1");
}

/// The CPU device with roads of the test's making.
class backend_with_roads final : public test::faulty_backend {
 public:
  explicit backend_with_roads(const std::vector<fake_road::plan>& plans)
      : faulty_backend(platform::make_cpu({})), roads(plans) {}
  status vram_roads(std::vector<vram_road>& into) override {
    into = roads.chooser->roads();
    return {};
  }
  status allocate_vram(std::size_t bytes, platform::vram_block& out) override {
    return roads.chooser->map(bytes, out);
  }
  status free_vram(const platform::vram_block& block) override {
    return roads.chooser->unmap(block);
  }
  roads_of_test roads;
};

device device_with(const std::vector<fake_road::plan>& plans) {
  return platform::make_device(std::make_shared<backend_with_roads>(plans), "fake:0", "a fake");
}

TEST(VramBuffer, WithoutAnOpenRoadIsRefusedWithAllThatWasTried) {
  const auto where =
      device_with({{.name = "dma-buf", .state = closed("ENOTSUPP", "use driver 610")},
                   {.name = "Vulkan", .state = closed("no loader", "install it")}});
  test::expect_error(fault::not_supported,
                     {"of vram on fake:0", "dma-buf: ENOTSUPP", "Vulkan: no loader",
                      "use driver 610; or for Vulkan, install it"},
                     [&] { const vram_buffer<int> none(where, 10); });
  const auto access = vram_in_cpu_address_space(where);
  EXPECT_FALSE(access);
  EXPECT_EQ(vram_buffer<int>(where, 0).size(), 0U) << "nothing is needed for nothing";
}

TEST(VramBuffer, BeyondTheWindowIsRefusedWithItsSize) {
  const auto where = device_with(
      {{.name = "Vulkan",
        .state = {.open = {true, "a window", "switch on resizable BAR"}, .window_bytes = 246_MiB},
        .mapping = outcome::out_of_memory}});
  test::expect_error(fault::out_of_memory,
                     {"map of a fake road failed with a fake reason",
                      "through Vulkan the CPU reaches 246 MiB", "switch on resizable BAR"},
                     [&] { const vram_buffer<int> none(where, 100'000'000); });
}

TEST(VramBuffer, OnTheCpuDeviceTakesOrdinaryMemory) {
  const auto access = vram_in_cpu_address_space(device::cpu());
  EXPECT_TRUE(access);
  EXPECT_EQ(access.reason.substr(0, 23), "through ordinary memory");
}

#if !defined(PINHOLE_CPU_ONLY)

TEST(GpuRoads, AreAllClosedWithAReasonWhereThereIsNoGpu) {
  if (device::first().kind() == device_kind::cuda) {
    GTEST_SKIP() << "waived: there is a GPU, whose roads tests/gpu looks at";
  }
  const auto& roads = platform::roads_of_gpu(0).roads();
  ASSERT_EQ(roads.size(), 4U);
  for (const auto& one : roads) {
    EXPECT_FALSE(one.open) << one.name;
    EXPECT_FALSE(one.open.reason.empty()) << one.name;
  }
}

TEST(CudaCalls, OfAGpuThatIsNotThereFailEachByName) {
  if (device::first().kind() == device_kind::cuda) {
    GTEST_SKIP() << "waived: there is a GPU";
  }
  platform::cuda_calls gpu(0);
  platform::gpu_identity identity;
  bool coherent = false;
  int file = -1;
  void* out = nullptr;
  std::array<std::byte, 4> bytes{};
  for (const auto& [result, call] :
       {std::pair(gpu.identify(identity), "cudaGetDeviceProperties"),
        std::pair(gpu.is_coherent(coherent), "cudaDeviceGetAttribute"),
        std::pair(gpu.allocate(4096, out), "cudaMalloc"),
        std::pair(gpu.allocate_managed(4096, out), "cudaMallocManaged"),
        std::pair(gpu.prefer_device(&bytes, 4), "cudaMemAdvise"),
        std::pair(gpu.map_for_cpu(&bytes, 4), "cudaMemAdvise"),
        std::pair(gpu.move_to_device(&bytes, 4), "cudaMemPrefetchAsync"),
        std::pair(gpu.export_dma_buf(&bytes, 4, file), "cuMemGetHandleForAddressRange"),
        std::pair(gpu.import_file(-1, 4, out), "cudaImportExternalMemory"),
        std::pair(gpu.copy_to_device(&bytes, &bytes, 4), "cudaMemcpy"),
        std::pair(gpu.copy_to_host(&bytes, &bytes, 4), "cudaMemcpy")}) {
    EXPECT_FALSE(result.ok()) << call;
    EXPECT_STREQ(result.call, call);
  }
  EXPECT_EQ(gpu.export_dma_buf(&bytes, 4, file).what, outcome::not_supported)
      << "a driver without the entry point";
}

#endif

}  // namespace
}  // namespace pinhole
