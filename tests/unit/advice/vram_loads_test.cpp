// Tests of advice/vram_loads.hpp.
#include "advice/vram_loads.hpp"

#include <gtest/gtest.h>

namespace pinhole {
namespace {

using advice::vram_loads_of;

TEST(VramLoads, AreOneWaitForWholeLines) {
  EXPECT_DOUBLE_EQ(vram_loads_of(64).waits, 1);
  EXPECT_DOUBLE_EQ(vram_loads_of(512).waits, 1);
  EXPECT_DOUBLE_EQ(vram_loads_of(512).lines, 8);
}

TEST(VramLoads, AreOneStepForAWord) {
  EXPECT_DOUBLE_EQ(vram_loads_of(4).waits, 1);
  EXPECT_DOUBLE_EQ(vram_loads_of(8).waits, 1);
  EXPECT_DOUBLE_EQ(vram_loads_of(8).lines, 0);
}

TEST(VramLoads, TakeTheEndsOfARunStepByStep) {
  // 40 B start at every eighth byte of a line and never fill one: five steps of 8 B.
  EXPECT_DOUBLE_EQ(vram_loads_of(40).waits, 5);
  // 96 B start at a line, four steps follow it, or in the middle of one, and four steps precede it.
  EXPECT_DOUBLE_EQ(vram_loads_of(96).waits, 5);
  EXPECT_DOUBLE_EQ(vram_loads_of(96).lines, 1);
}

}  // namespace
}  // namespace pinhole
