// Data that is placed by advice: the program says what will be done with it, and the profile of the
// machine says where it belongs. The first run on a machine measures that profile, which takes
// seconds.
#include <chrono>
#include <cstdio>
#include <vector>

#include "pinhole/kernel/for_each_index.cuh"
#include "pinhole/pinhole.hpp"

namespace {

using namespace std::chrono_literals;

struct row {
  float values[32];
};

struct sum_row {
  pinhole::view<const row> rows;
  pinhole::view<float> sums;
  PINHOLE_HD void operator()(std::size_t i) const {
    float sum = 0;
    for (const float one : rows[i].values) {
      sum += one;
    }
    sums[i] = sum;
  }
};

}  // namespace

int main() {
  const auto gpu = pinhole::device::first();
  const pinhole::stream work(gpu);
  constexpr std::size_t count = 4096;

  // Each call the host writes all rows and a kernel reads them; a thousand calls in all.
  const pinhole::access_pattern pattern{.unit_bytes = sizeof(row), .calls = 1000};
  auto rows = pinhole::place<row>(gpu, count, pattern);
  pinhole::mapped_buffer<float> sums(gpu, count);

  // write() is right wherever the rows are; over the link it is also the fastest.
  const std::vector<row> ones(count, row{{1, 1}});
  rows.write(0, ones);
  rows.to_device(work);
  pinhole::for_each_index(work, count, sum_row{rows.device(), sums.device()});
  sums.to_host(work);
  work.wait(10s);

  for (const float sum : sums.host()) {
    if (sum != 2) {
      std::printf("a row adds up to %f instead of 2\n", static_cast<double>(sum));
      return 1;
    }
  }
  // The same advice in words.
  pinhole::access_pattern sized = pattern;
  sized.bytes = count * sizeof(row);
  const auto& profile = pinhole::advice::profile_of(gpu);
  const auto given = pinhole::advise(sized, profile);
  std::printf("%zu rows are %s:\n", count, pinhole::name_of(given.best()).c_str());
  for (const auto& reason : pinhole::reasons(given, sized, profile)) {
    std::printf("- %s\n", reason.c_str());
  }
  return 0;
}
