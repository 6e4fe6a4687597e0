// Work that is written once, over memory in two placements. Which one is faster depends on the
// work: here each element crosses the link once either way, and `staged` adds a copy in memory.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include "pinhole/kernel/for_each_index.cuh"
#include "pinhole/pinhole.hpp"

using namespace std::chrono_literals;

struct brighten {
  pinhole::view<unsigned char> pixels;
  PINHOLE_HD void operator()(std::size_t i) const {
    pixels[i] = static_cast<unsigned char>(pixels[i] > 205 ? 255 : pixels[i] + 50);
  }
};

template <pinhole::shared_buffer Buffer>
bool brighten_once(Buffer image, const pinhole::stream& work) {
  std::ranges::fill(image.host(), static_cast<unsigned char>(200));
  const auto start = std::chrono::steady_clock::now();
  image.to_device(work);  // staged: queues a copy; mapped: moves nothing
  pinhole::for_each_index(work, image.size(), brighten{image.device()});
  image.to_host(work);
  work.wait(10s);
  const auto took = std::chrono::steady_clock::now() - start;
  std::printf("%-6s %s\n", std::string(to_string(image.placed())).c_str(),
              pinhole::format_duration(took).c_str());
  return std::ranges::all_of(image.host(), [](unsigned char pixel) { return pixel == 250; });
}

int main() {
  constexpr std::size_t pixels = 1920 * 1080;
  const auto gpu = pinhole::device::first();
  const pinhole::stream work(gpu);
  const bool staged = brighten_once(pinhole::staged_buffer<unsigned char>(gpu, pixels), work);
  const bool mapped = brighten_once(pinhole::mapped_buffer<unsigned char>(gpu, pixels), work);
  return staged && mapped ? 0 : 1;
}
