// The three ways to write a line: the same words, all of them tagged.
#include "signal/doorbell.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "platform/direct_store.hpp"

namespace pinhole::detail {
namespace {

using road = doorbell::road;

std::vector<road> roads() {
  std::vector<road> all = {road::ordinary, road::write_combining};
  if (platform::can_store_directly()) {
    all.push_back(road::direct);
  }
  return all;
}

TEST(Doorbell, TagsEveryPieceOfTheLineOnEveryRoad) {
  constexpr std::uint32_t tag = 0xFFFF'FFFE;
  for (const road to : roads()) {
    for (std::size_t bytes = 0; bytes <= 32; ++bytes) {
      for (const bool ordered : {false, true}) {
        alignas(64) std::array<std::uint64_t, 8> line{};
        std::array<unsigned char, 32> payload{};
        for (std::size_t i = 0; i < bytes; ++i) {
          payload[i] = static_cast<unsigned char>(i + 1);
        }
        doorbell(to).ring(reinterpret_cast<std::byte*>(line.data()), payload.data(), bytes, tag,
                          ordered);
        for (std::size_t i = 0; i < line.size(); ++i) {
          std::uint32_t part = 0;
          std::memcpy(&part, payload.data() + 4 * i, 4);
          EXPECT_EQ(line[i], std::uint64_t{tag} << 32U | part)
              << "piece " << i << " of " << bytes << " bytes";
        }
      }
    }
  }
}

}  // namespace
}  // namespace pinhole::detail
