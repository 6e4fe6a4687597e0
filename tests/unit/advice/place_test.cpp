// Tests of pinhole/advice/place.hpp.
#include "pinhole/advice/place.hpp"

#include <gtest/gtest.h>

#include "pinhole/core/units.hpp"
#include "tests/support/expect_error.hpp"
#include "tests/unit/advice/sample_profile.hpp"

namespace pinhole {
namespace {

using test::expect_error;
using test::sample_profile;

TEST(place, makes_the_buffer_that_advise_names) {
  const auto profile = sample_profile();
  const access_pattern read_once{.touched_units = 4, .host = access_role::reads_and_writes};
  const access_pattern read_often{.reads_of_each_byte = 100};
  for (auto pattern : {read_once, read_often}) {
    const auto made = place<int>(device::cpu(), 1024, pattern, profile);
    pattern.bytes = 4096;
    EXPECT_EQ(made.placed(), advise(pattern, profile).placement);
    EXPECT_EQ(made.size(), 1024U);
  }
}

TEST(place, takes_the_bytes_from_the_elements) {
  const auto profile = sample_profile();
  EXPECT_EQ(place<int>(device::cpu(), 1024, {.bytes = 4096}, profile).size(), 1024U);
  expect_error(fault::invalid_argument, {"place 4 KiB", "the pattern is of 4 B"},
               [&] { (void)place<int>(device::cpu(), 1024, {.bytes = 4}, profile); });
}

}  // namespace
}  // namespace pinhole
