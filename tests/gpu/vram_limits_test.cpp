// The ends of what there is: the card, the address space, the process, and the roads themselves.
#include <sys/resource.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <random>
#include <stdexcept>

#include "memory/vram_pool.hpp"
#include "platform/linux/mapping.hpp"
#include "tests/gpu/vram_fixture.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/support/os.hpp"

namespace pinhole::test {
namespace {

using std::uint8_t;

class VramLimits : public VramOnGpu {};

TEST_F(VramLimits, EveryRoadSaysWhetherItIsOpenAndWhyNot) {
  const auto roads = vram_roads(where);
  ASSERT_EQ(roads.size(), 4U);
  EXPECT_EQ(roads[0].name, "coherent link");
  EXPECT_EQ(roads[1].name, "dma-buf");
  EXPECT_EQ(roads[2].name, "Vulkan");
  EXPECT_EQ(roads[3].name, "GDRCopy");
  for (const auto& one : roads) {
    std::cout << one.name << ": " << (one.open ? "open " : "closed, ") << one.open.reason << "\n";
    EXPECT_TRUE(one.open || !one.open.reason.empty()) << one.name;
    EXPECT_TRUE(one.open || !one.open.remedy.empty()) << one.name;
  }
}

TEST_F(VramLimits, MoreThanTheCardIsRefusedAndNothingIsLeaked) {
  const auto card = where.capabilities().memory_bytes;
  vram_buffer<uint8_t> before(where, 100);
  for (const std::size_t bytes : {card + 1_GiB, 16 * card, std::size_t{1} << 60U}) {
    expect_error(fault::out_of_memory, {"of vram on " + where.id()},
                 [&] { const vram_buffer<uint8_t> unwanted(where, bytes); });
  }
  expect_error(fault::invalid_argument, {"vram"},
               [&] { const vram_buffer<std::uint64_t> unwanted(where, SIZE_MAX / 2); });
  before.write(99, std::vector<uint8_t>{9});
  EXPECT_EQ(on_device(before)[99], 9);
  vram_buffer<uint8_t> after(where, 64_MiB);
  after.write(after.size() - 1, std::vector<uint8_t>{3});
  EXPECT_EQ(after.host()[after.size() - 1], 3);
}

void expect_no_growth(const device& where) {
  std::minstd_rand random(5);
  const auto round = [&] {
    const vram_buffer<uint8_t> buffer(where, 1 + random() % 200'000);
    buffer.host()[buffer.size() - 1] = 1;
  };
  round();
  const auto before = detail::vram_pool_of(where).count();
  const auto resident = resident_bytes();
  for (int i = 0; i < 10'000; ++i) {
    round();
  }
  const auto after = detail::vram_pool_of(where).count();
  EXPECT_EQ(after.blocks, before.blocks);
  EXPECT_EQ(after.free_bytes, before.free_bytes);
  EXPECT_LT(resident_bytes(), resident + (4U << 20U));
}

TEST_F(VramLimits, TenThousandBuffersComeAndGoWithoutGrowth) {
  on_two_threads([&] { expect_no_growth(where); });
}

std::uint64_t mapped_by_this_process() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * 4096;
}

TEST_F(VramLimits, BlocksOfTheirOwnLeaveNoFileAndNoMappingBehind) {
  const auto round = [&] {
    const vram_buffer<uint8_t> buffer(where, 40_MiB);
    buffer.host()[buffer.size() - 1] = 1;
  };
  round();  // what the driver keeps, it has from now on
  const auto files = open_files();
  const auto mapped = mapped_by_this_process();
  for (int i = 0; i < 100; ++i) {
    round();
  }
  EXPECT_LE(open_files(), files + 2);
  EXPECT_LT(mapped_by_this_process(), mapped + 20 * 40_MiB) << "of 100 that were mapped";
}

TEST_F(VramLimits, AChildSeesNothingAndBreaksNothing) {
  on_two_threads([&] {
    vram_buffer<uint8_t> buffer(where, 5000);
    const std::vector<uint8_t> ones(5000, 1);
    buffer.write(0, ones);
    ASSERT_TRUE(platform::can_be_read(buffer.host().data()));
    const auto child = in_forked_child([&] {
      if (platform::can_be_read(buffer.host().data())) {
        throw std::runtime_error("the child has the mapping");
      }
      const vram_buffer<uint8_t> doomed = std::move(buffer);
    });
    EXPECT_EQ(child.exit_code, 0) << child.output;
    EXPECT_EQ(child.output, "");
    EXPECT_EQ(on_device(buffer), ones);
    const std::vector<uint8_t> twos(5000, 2);
    buffer.write(0, twos);
    EXPECT_EQ(on_device(buffer), twos);
  });
}

/// Prints the error that a gigabyte gives, and whether a small buffer still works afterwards.
void short_of_address_space() {
  const auto where = device::first();
  vram_buffer<uint8_t> first(where, 1000);
  rlimit limit{};
  limit.rlim_cur = limit.rlim_max = mapped_by_this_process() + 64_MiB;
  if (setrlimit(RLIMIT_AS, &limit) != 0) {
    throw std::runtime_error("setrlimit");
  }
  try {
    const vram_buffer<uint8_t> large(where, 1_GiB);
    std::cout << "no error\n";
  } catch (const error& refused) {
    std::cout << to_string(refused.kind()) << ": " << refused.what() << "\n";
  }
  vram_buffer<uint8_t> second(where, 1000);
  second.write(0, std::vector<uint8_t>(1000, 7));
  std::vector<uint8_t> got(1000);
  copy_to_host<uint8_t>(where, std::span<uint8_t>(got), second.device());
  std::cout << (got == std::vector<uint8_t>(1000, 7) ? "still works\n" : "broken\n");
}
const fresh_process short_of_address_space_child("vram_short_of_address_space",
                                                 short_of_address_space);

TEST_F(VramLimits, AnAddressSpaceThatIsTooSmallIsAClearError) {
  const auto child = in_fresh_process("vram_short_of_address_space");
  EXPECT_EQ(child.exit_code, 0) << child.output;
  EXPECT_NE(child.output.find("out_of_memory"), std::string::npos) << child.output;
  EXPECT_NE(child.output.find("address space of this process is limited"), std::string::npos)
      << child.output;
  EXPECT_NE(child.output.find("still works"), std::string::npos) << child.output;
}

/// With drivers of Vulkan that are not there, the roads that remain are asked.
void without_a_vulkan_driver() {
  setenv("VK_DRIVER_FILES", "/nowhere/icd.json", 1);
  setenv("VK_ICD_FILENAMES", "/nowhere/icd.json", 1);
  const auto where = device::first();
  for (const auto& one : vram_roads(where)) {
    std::cout << one.name << ": " << (one.open ? "open" : one.open.reason) << "\n";
  }
  try {
    const vram_buffer<uint8_t> buffer(where, 1000);
    std::cout << "another road is open\n";
  } catch (const error& refused) {
    std::cout << to_string(refused.kind()) << ": " << refused.what() << "\n";
  }
}
const fresh_process without_a_vulkan_driver_child("vram_without_a_vulkan_driver",
                                                  without_a_vulkan_driver);

TEST_F(VramLimits, WithoutAVulkanDriverTheRefusalNamesEveryRoad) {
  const auto child = in_fresh_process("vram_without_a_vulkan_driver");
  EXPECT_EQ(child.exit_code, 0) << child.output;
  EXPECT_EQ(child.output.find("Vulkan: open"), std::string::npos) << child.output;
  if (child.output.find("another road is open") == std::string::npos) {
    for (const char* const part : {"not_supported", "coherent link: ", "dma-buf: ", "Vulkan: ",
                                   "GDRCopy: ", "NVIDIA_DRIVER_CAPABILITIES"}) {
      EXPECT_NE(child.output.find(part), std::string::npos) << part << " in " << child.output;
    }
  }
}

}  // namespace
}  // namespace pinhole::test
